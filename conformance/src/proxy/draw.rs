//! Numbers drawn from a seed: the same everywhere, for the same place.

/// A source of numbers.
#[derive(Debug, Clone)]
pub(super) struct Draw(u64);

/// What the draws of a direction depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) seed: u64,
    /// The connection's number.
    pub(super) connection: u64,
    /// The side that sends.
    pub(super) side: u8,
}

impl Draw {
    /// The source for the unit of this number of a direction: it depends on nothing else, so that
    /// neither time nor what was drawn before changes it.
    pub(super) fn of(origin: Origin, unit: u64) -> Self {
        let mut state = 0;
        for part in [origin.seed, origin.connection, u64::from(origin.side), unit] {
            state = mixed(state ^ part);
        }
        Self(state)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number from `from` up to `to`, both included.
    pub(super) fn between(&mut self, from: usize, to: usize) -> usize {
        let many = to.saturating_sub(from) as u64 + 1;
        from + (self.next() % many) as usize
    }

    /// True once in so many times.
    pub(super) fn one_in(&mut self, many: u64) -> bool {
        self.next().is_multiple_of(many.max(1))
    }
}

/// The mixing step of splitmix64.
fn mixed(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
