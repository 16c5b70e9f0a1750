//! Bugs in setup frames, and in what is agreed on by them.

macro_rules! setup_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Setup: [
            SetupKeyOfTheOther "setup-key-of-the-other" Both RFC5040 "RFC5044-7.1.1-02"
                "begins its setup frame with the key of the other frame";
            SetupReservedBits "setup-reserved-bits" Both RFC5040 "RFC5044-7.1.1-18"
                "sets a reserved bit in its setup frame";
            SetupTimerNever "setup-timer-never" Both RFC5040 "RFC5044-7.1.2-25"
                "waits for the setup frame of the peer for ever";
        ]
    } $($rest)* } };
}
