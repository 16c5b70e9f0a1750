//! A session on a shared capture, driven by keys.

use crate::prelude::*;
use std::path::Path;
use warpscope_dissector::pipeline::Pipeline;
use warpscope_tui::snapshot;

/// The usual screen.
pub(crate) const SMALL: (u16, u16) = (80, 24);
pub(crate) const LARGE: (u16, u16) = (200, 60);

/// A session, and what it asked a terminal for.
pub(crate) struct Driven {
    pub(crate) session: Session,
}

/// Where a shared capture is.
pub(crate) fn path(capture: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces").join(capture)
}

/// Looks at each frame of a shared capture, read from the first to the last.
pub(crate) fn each_frame(capture: &str, view: &mut FrameView, mut look: impl FnMut(&FrameView)) {
    let mut reader = CaptureReader::open(&path(capture)).unwrap();
    Pipeline::default().read(&mut reader, view, |view| look(view)).unwrap();
}

/// Opens a shared capture, reads it to its end, and gives it the name of the file alone.
pub(crate) fn open(capture: &str, size: (u16, u16)) -> Driven {
    let path = path(capture);
    let look = Look { theme: Theme::Plain, ..Look::default() };
    let mut session = Session::open(Source::File(path), Options::default(), size, look).unwrap();
    session.state.name = capture.rsplit('/').next().unwrap().to_owned();
    assert!(session.settle(), "the workers have gone");
    Driven { session }
}

impl Driven {
    /// Presses keys, apart by blanks, and waits until the screen is whole.
    pub(crate) fn press(&mut self, words: &str) -> &mut Self {
        for word in words.split_whitespace() {
            self.session.state.key(Key::parse(word).expect(word));
            self.session.run();
            assert!(self.session.settle(), "the workers have gone");
        }
        self
    }

    /// What there is to see once keys were pressed.
    pub(crate) fn after<T>(&mut self, keys: &str, look: impl Fn(&State) -> T) -> T {
        look(self.press(keys).state())
    }

    /// Does what a state asks for, and waits until the screen is whole.
    pub(crate) fn settle(&mut self) {
        self.session.run();
        assert!(self.session.settle(), "the workers have gone");
    }

    /// The chosen line of a frame.
    pub(crate) fn info(&mut self, frame: u32) -> String {
        self.session.state.choose_frame(frame);
        self.settle();
        self.state().messages.lines[&frame].line.info.clone()
    }

    pub(crate) fn type_text(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            self.session.state.key(Key::character(character));
            self.session.run();
        }
        assert!(self.session.settle());
        self
    }

    pub(crate) fn screen(&mut self) -> String {
        snapshot::of(&mut self.session)
    }

    pub(crate) fn state(&self) -> &State {
        &self.session.state
    }
}
