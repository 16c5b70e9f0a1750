//! Bugs in DDP segments and queues.

macro_rules! ddp_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Ddp: [
            SequenceNumberFromZero "sequence-number-from-zero" Both RFC5040 "RFC5041-4.3-12"
                "begins with MSN 0 on every queue";
            SequenceNumberStuck "sequence-number-stuck" Both RFC5040 "RFC5041-4.3-11"
                "sends every message with MSN 1";
            SequenceNumberSkips "sequence-number-skips" Both RFC5040 "RFC5041-4.3-11"
                "leaves out every other MSN";
            SequenceNumberShared "sequence-number-shared" Both RFC5040 "RFC5041-4.3-14"
                "counts the messages of all queues together";
        ]
    } $($rest)* } };
}
