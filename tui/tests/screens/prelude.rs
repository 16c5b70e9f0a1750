//! What most tests here use.

pub(crate) use crate::fixture::{Driven, LARGE, SMALL, each_frame, open, path};
pub(crate) use std::path::PathBuf;
pub(crate) use warpscope_dissector::capture::CaptureReader;
pub(crate) use warpscope_dissector::dissect::FrameView;
pub(crate) use warpscope_dissector::pipeline::Options;
pub(crate) use warpscope_tui::action::{self, Action, Key};
pub(crate) use warpscope_tui::event::{Effect, Event};
pub(crate) use warpscope_tui::layout::{Pane, View};
pub(crate) use warpscope_tui::look::{Look, Theme};
pub(crate) use warpscope_tui::session::Session;
pub(crate) use warpscope_tui::state::{Mode, State};
pub(crate) use warpscope_tui::update::Mouse;
pub(crate) use warpscope_tui::worker::Source;
