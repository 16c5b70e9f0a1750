//! Orders to the target.

use super::buffers::rights;
use super::player::Playing;
use crate::case::Record;
use crate::run::{Action, AnswerMatch, Scene};
use warpscope_wire::test_ulp::{
    AtomicCode, OperationCode, Order, Pattern, ReceivesOrder, RevalidateOrder, SourceCode, Status,
    WorkFlags, WorkOrder,
};

impl Playing<'_> {
    /// The actions of an order.
    pub(super) fn order(
        &mut self,
        stream: u32,
        record: &Record,
        scene: &Scene<'_>,
    ) -> Result<(), String> {
        let region = || -> Result<u32, String> {
            let Some(region) = record.region("region") else { return Ok(0) };
            let known = scene.region(&region.name);
            Ok(known.ok_or_else(|| format!("there is no buffer {}", region.name))?.region)
        };
        let number = |key: &str, usual: u64| match record.number(key) {
            Some(value) => self.number(value, stream, scene),
            None => Ok(usual),
        };
        let order = match record.name {
            "post_receives" => Order::Receives(ReceivesOrder {
                stream,
                count: number("count", 1)? as u32,
                size: number("size", 0)? as u32,
                region: region()?,
                offset: number("offset", 0)?,
                identifier: number("identifier", 1)?,
            }),
            "post" => self.work(stream, record, scene)?,
            "fill" => {
                let bytes = record.bytes("with").ok_or("fill needs bytes")?;
                let bytes = self.bytes(bytes, stream, scene)?;
                let name = record.region("region").map(|it| it.name.clone()).unwrap_or_default();
                let offset = number("offset", 0)?;
                self.write_region(&name, offset, &bytes, scene)?;
                if self.script.compares() {
                    self.queue.push_back(Action::Remember);
                }
                return Ok(());
            }
            "invalidate" => Order::Invalidate(region()?),
            "recall" => Order::Recall(region()?),
            "revalidate" => {
                let name = record.region("region").map(|it| it.name.as_str()).unwrap_or_default();
                let before = scene.region(name).map(|it| it.rights);
                let words = record.words("rights");
                let rights = if words.is_empty() { before } else { Some(rights(words)) };
                let rights = rights.ok_or_else(|| format!("there is no buffer {name}"))?;
                let order = RevalidateOrder { region: region()?, rights };
                let (name, order) = (name.to_owned(), Box::new(order));
                self.queue.push_back(Action::Revalidate { name, order });
                return Ok(());
            }
            "deregister" => Order::Deregister(region()?),
            "finish" => Order::Finish(stream),
            "abort" => Order::Abort(stream),
            other => return Err(format!("there is no order {other}")),
        };
        // A stream that has ended in the meantime needs no end.
        let ends = matches!(order, Order::Finish(_) | Order::Abort(_));
        let answer = match record.word("answer") {
            _ if ends => AnswerMatch::Any,
            Some("refused") => AnswerMatch::Is(Status::Refused),
            _ => AnswerMatch::Needed,
        };
        let name = record.name.to_owned();
        self.queue.push_back(Action::Order { name, order: Box::new(order), answer });
        Ok(())
    }

    fn work(&self, stream: u32, record: &Record, scene: &Scene<'_>) -> Result<Order, String> {
        let number = |key: &str, usual: u64| match record.number(key) {
            Some(value) => self.number(value, stream, scene),
            None => Ok(usual),
        };
        let bytes = |key: &str| -> Result<Option<Vec<u8>>, String> {
            record.bytes(key).map(|it| self.bytes(it, stream, scene)).transpose()
        };
        let operation = match record.word("operation") {
            Some("immediate_data") => OperationCode::Immediate,
            Some("rdma_write") => OperationCode::Write,
            Some("rdma_read") => OperationCode::Read,
            Some("rdma_read_v2") => OperationCode::ReadV2,
            Some("atomic") => OperationCode::Atomic,
            Some("flush") => OperationCode::Flush,
            Some("verify") => OperationCode::Verify,
            Some("atomic_write") => OperationCode::AtomicWrite,
            _ => OperationCode::Send,
        };
        let mut flags = WorkFlags::NONE;
        for (word, flag) in [
            ("fence", WorkFlags::FENCE),
            ("solicited", WorkFlags::SOLICITED),
            ("invalidate", WorkFlags::INVALIDATE),
            ("immediate", WorkFlags::IMMEDIATE),
            ("persistence", WorkFlags::PERSISTENCE),
            ("visibility", WorkFlags::GLOBAL_VISIBILITY),
            ("compare", WorkFlags::COMPARE),
        ] {
            flags = flags.with(flag, record.words("flags").contains(&word));
        }
        let region = record.region("region").and_then(|it| scene.region(&it.name));
        let payload = bytes("payload")?;
        let sends = matches!(operation, OperationCode::Send | OperationCode::Write);
        let source = match (&payload, region) {
            (Some(bytes), _) if !bytes.is_empty() => SourceCode::Inline,
            (None, Some(_)) if sends => SourceCode::Region,
            _ => SourceCode::None,
        };
        let length = number("length", payload.as_ref().map_or(0, |it| it.len() as u64))? as u32;
        let work = WorkOrder {
            stream,
            operation,
            flags,
            source,
            atomic: match record.word("atomic") {
                Some("swap") => AtomicCode::Swap,
                Some("cmp_swap") => AtomicCode::CmpSwap,
                _ => AtomicCode::FetchAdd,
            },
            identifier: number("identifier", 1)?,
            remote_steering_tag: number("stag", 0)? as u32,
            length,
            remote_tagged_offset: number("to", 0)?,
            region: region.map_or(0, |it| it.region),
            invalidate_steering_tag: number("invalidate_stag", 0)? as u32,
            offset: number("offset", 0)?,
            data: number("data", 0)?,
            mask: number("mask", if operation == OperationCode::Atomic { u64::MAX } else { 0 })?,
            compare_data: number("compare_data", 0)?,
            compare_mask: number(
                "compare_mask",
                if operation == OperationCode::Atomic { u64::MAX } else { 0 },
            )?,
            pattern: Pattern::Constant,
            seed: 0,
        };
        Ok(Order::Work(work, bytes("hash")?.or(payload).unwrap_or_default()))
    }
}
