//! `warpscope peer nfs`: reaches the server, does the work, and leaves in good order.

use super::commands;
use super::line::Line;
use super::serve::{BESIDE_DATA, inline};
use crate::cli::{CallFormChoice, NfsArguments, NfsCommand};
use crate::peer::run::{address, host};
use crate::peer::{config, tap};
use crate::stop::Stop;
use anyhow::{Context as _, Result, anyhow, bail};
use rustix::process::{getegid, geteuid};
use std::process::ExitCode;
use std::time::Duration;
use warpscope_nfs::client::{Client, Files};
use warpscope_nfs::rpc::{
    AuthSys, CallHeader, Credential, OutgoingCall, REPLY_HEADER, begin_call, results_of,
};
use warpscope_nfs::rpcrdma::{CallForm, RpcRdmaConfig};
use warpscope_nfs::{NFS, VERSION};
use warpscope_peer::connection::Role;

/// The name of this machine that AUTH_SYS gives; servers go by the address.
const MACHINE: &[u8] = b"warpscope";

/// Does what the command line says.
///
/// # Errors
/// When the command line cannot be followed, or the server lets nothing be done.
pub(crate) fn run(arguments: &NfsArguments) -> Result<ExitCode> {
    let common = &arguments.common;
    let mut config = config::config(Role::Initiator, common)?;
    if !common.private_data.is_empty() {
        bail!("--private-data: the private data of RFC 8797 takes its place");
    }
    let longest = inline("--inline ", arguments.inline)?;
    let rpc = RpcRdmaConfig {
        credits_asked: arguments.credits,
        send_size: longest,
        receive_size: longest,
        private_data: !arguments.no_rpc_private_data,
        form: match arguments.form {
            CallFormChoice::Shortest => CallForm::Shortest,
            CallFormChoice::Chunked => CallForm::Chunked,
            CallFormChoice::Long => CallForm::Long,
        },
        longest_segment: arguments.longest_segment.unwrap_or(u32::MAX),
        longest_call: BESIDE_DATA,
        bugs: config.bugs,
        ..RpcRdmaConfig::client(arguments.callbacks)
    };
    config.setup.private_data = rpc.private_data();
    let timeout = Duration::try_from_secs_f64(arguments.timeout)
        .map_err(|_| anyhow!("--timeout {}: give seconds, as 2 or 0.5", arguments.timeout))?;
    let address = address(&arguments.address)?;
    let mut host = host(common, 1)?;
    let stop = Stop::on_signals()?;
    let mut recording = None;
    if let Some((begun, tap)) = tap::begin(common, address)? {
        recording = Some(begun);
        if let Some(tap) = tap {
            host.tap(tap);
        }
    }
    let mut line = Line::new(host, rpc, (address, config, true), timeout, stop);
    let worked = work(&mut line, arguments);
    // The tap ends with the line: only then is everything recorded.
    let ended = line.end();
    if let Some(recording) = recording {
        recording.finish()?;
    }
    let code = worked?;
    ended.context("the system let the sockets down")?;
    Ok(code)
}

fn work(line: &mut Line, arguments: &NfsArguments) -> Result<ExitCode> {
    line.open()?;
    let user = arguments.user.unwrap_or_else(|| geteuid().as_raw());
    let group = arguments.group.unwrap_or_else(|| getegid().as_raw());
    let caller = AuthSys { stamp: 0, machine_name: MACHINE.to_vec(), user, group, groups: vec![] };
    if let NfsCommand::Null { count } = &arguments.command {
        return null(line, &Credential::Sys(caller), *count);
    }
    let export = &arguments.export;
    let client = Client::new(rand::random(), Credential::Sys(caller))
        .context("the credential cannot be sent")?;
    let mut files = Files::mount(line, client, export.as_bytes())
        .map_err(|error| commands::explained(&format!("mounting {export}"), &error))?;
    let worked = commands::run(&mut files, &arguments.command);
    let left = files.unmount();
    let code = worked?;
    left.map_err(|error| commands::explained(&format!("unmounting {export}"), &error))?;
    Ok(code)
}

/// Makes calls of NULL, as many at once as credits allow.
fn null(line: &mut Line, credential: &Credential, count: u32) -> Result<ExitCode> {
    let first: u32 = rand::random();
    let xids: Vec<u32> = (0..count).map(|number| first.wrapping_add(number)).collect();
    let call = |xid: &u32| -> Result<OutgoingCall> {
        let (program, version, procedure) = (NFS, VERSION, 0);
        let header = CallHeader { xid: *xid, program, version, procedure, credential };
        let builder = begin_call(&header).context("the credential cannot be sent")?;
        let longest_reply = REPLY_HEADER;
        Ok(OutgoingCall { message: builder.finish(), result_room: Vec::new(), longest_reply })
    };
    let calls = xids.iter().map(call).collect::<Result<Vec<_>>>()?;
    for (reply, xid) in line.replies(calls)?.iter().zip(xids) {
        results_of(reply, xid)?;
    }
    Ok(ExitCode::SUCCESS)
}
