//! The interfaces that can be captured on.

use crate::failure::OutputError;
use crate::interfaces;
use crate::terminal::standard_output;
use anyhow::{Result, anyhow};
use pcap::{Device, IfFlags};
use std::fmt::Write as _;
use std::process::ExitCode;
use warpscope_dissector::format::push_shown;

/// Prints the interfaces as tshark does: number, name, description.
///
/// # Errors
/// When libpcap cannot list them, or the output failed.
pub(crate) fn list_interfaces() -> Result<ExitCode> {
    let devices = devices()?;
    if devices.is_empty() {
        return Err(anyhow!(
            "there is no interface to capture on; on most systems listing them needs no rights: \
             check `ip link`"
        ));
    }
    let mut text = String::new();
    for (index, device) in devices.iter().enumerate() {
        let _ = write!(text, "{}. ", index + 1);
        push_shown(&device.name, &mut text);
        let loopback = device.flags.if_flags.contains(IfFlags::LOOPBACK);
        if let Some(description) = &device.desc {
            text.push_str(" (");
            push_shown(description, &mut text);
            text.push(')');
        } else if loopback {
            text.push_str(" (Loopback)");
        }
        if !device.flags.if_flags.contains(IfFlags::UP) && device.name != "any" {
            text.push_str(" [down]");
        }
        text.push('\n');
    }
    let (mut out, _) = standard_output();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

/// The name that `-i` means: a name, or a number in the list.
pub(super) fn named(given: &str) -> String {
    let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let Some(index) = number else { return given.to_owned() };
    let devices = devices().unwrap_or_default();
    if devices.iter().any(|device| device.name == given) {
        return given.to_owned();
    }
    devices.get(index).map_or_else(|| given.to_owned(), |device| device.name.clone())
}

/// What to say when there is no such interface; none when there is.
pub(super) fn unknown(name: &str) -> Option<String> {
    let names: Vec<String> = devices().ok()?.into_iter().map(|device| device.name).collect();
    if names.iter().any(|known| known == name) {
        return None;
    }
    Some(interfaces::unknown("-i", name, &names))
}

fn devices() -> Result<Vec<Device>> {
    Device::list().map_err(|error| anyhow!("cannot list the interfaces: {error}"))
}
