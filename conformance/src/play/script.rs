//! An instance of a case as a script.

use super::player::Playing;
use crate::case::step::{Action as StepAction, Want};
use crate::case::{Case, Instance, Role};
use crate::engine::Capabilities;
use crate::layout::{Layouts, Message};
use crate::run::{self, Play, Script};
use std::sync::Arc;
use warpscope_wire::test_ulp::Documents;

/// An instance of a case, to be played.
#[derive(Debug, Clone)]
pub struct CaseScript {
    pub(super) instance: Instance,
    pub(super) layouts: Arc<Layouts>,
    /// The documents that are in force.
    pub(super) documents: Documents,
    /// RV of messages whose case does not say it.
    pub(super) version: u64,
}

impl CaseScript {
    /// The script of an instance of a case.
    pub fn new(case: &Case, instance: &Instance, layouts: Arc<Layouts>) -> Self {
        let (documents, version) = match case.profile {
            "rfc7306" => (Documents::EXTENSIONS, 1),
            "ext-v2" => (Documents::EXTENSIONS | Documents::EXT_V2, 2),
            "commit" => (Documents::EXTENSIONS | Documents::COMMIT, 1),
            "all" => (Documents::EXTENSIONS | Documents::EXT_V2 | Documents::COMMIT, 2),
            _ => (Documents::NONE, 1),
        };
        Self { instance: instance.clone(), layouts, documents, version }
    }

    /// Whether the target follows other documents where nothing is said.
    pub(super) fn other_documents(&self, capabilities: &Capabilities) -> bool {
        // Of RFC 6581 the revision decides.
        let messages = |documents: Documents| documents | Documents::ENHANCED;
        let told = capabilities.told.map(|told| told.default_documents);
        told.is_some_and(|told| messages(told) != messages(self.documents))
    }

    /// Whether it asks later what the target's buffers held at first.
    pub(super) fn compares(&self) -> bool {
        self.instance.steps.iter().any(|step| match &step.action {
            StepAction::Expect(expect) => {
                matches!(&expect.want, Want::Memory(it) if it.is.is_none())
            }
            _ => false,
        })
    }

    /// Whether it has the target prepare for a stream, so that nothing else may run there.
    pub fn prepares(&self, capabilities: &Capabilities) -> bool {
        capabilities.has("agent")
            && self.instance.role == Role::Initiator
            && (self.other_documents(capabilities)
                || self.instance.steps.iter().any(|step| match &step.action {
                    StepAction::Connect(connect) => super::connect::prepares(connect),
                    _ => false,
                }))
    }
}

impl Script for CaseScript {
    fn begin(&self) -> Box<dyn Play + '_> {
        Box::new(Playing::new(self))
    }
}

/// Whether RV of a message is that of the documents in force: the drafts say it of their own messages.
pub(super) fn has_the_version(message: &Message) -> bool {
    matches!(message.profile(), "rfc5040" | "rfc7306")
}

/// The instances of a case, ready to run at a target that can do this.
pub fn instances(
    case: &Case,
    layouts: &Arc<Layouts>,
    capabilities: &Capabilities,
) -> Vec<run::Instance> {
    let ready = |instance: &Instance| {
        let script = CaseScript::new(case, instance, Arc::clone(layouts));
        let mut needs: Vec<String> = case.needs.iter().map(|need| (*need).to_owned()).collect();
        let rpc = needs.iter().any(|it| it == "rpc-over-rdma");
        if instance.role == Role::Responder {
            // Who connects is the requester, whether there is a responder or not.
            needs.retain(|it| it != "rpc-over-rdma");
            needs.push(if rpc { "rpc-requester" } else { "opens-streams" }.to_owned());
        }
        let tasks = instance.steps.iter().filter_map(|step| match &step.action {
            StepAction::Connect(connect) => connect.theirs.text("task").map(str::to_owned),
            _ => None,
        });
        run::Instance {
            rpc,
            tasks: tasks.collect(),
            id: instance.id.clone(),
            case: case.id.clone(),
            needs,
            exclusive: !rpc && script.prepares(capabilities),
            allowed_findings: Vec::new(),
            script: Arc::new(script),
        }
    };
    case.instances.iter().map(ready).collect()
}
