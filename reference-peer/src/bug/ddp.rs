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
            SequenceNumberShared "sequence-number-shared" Both RFC5040 "RFC5041-4.3-12"
                "counts the messages of all queues together";
            MessageOffsetStuck "message-offset-stuck" Both RFC5040 "RFC5041-5.2-06"
                "sends every segment with MO 0";
            MessageOffsetInWords "message-offset-in-words" Both RFC5040 "RFC5041-5.2-06"
                "counts MO in words of four bytes";
            MessageOffsetNotReset "message-offset-not-reset" Both RFC5040 "RFC5041-4.3-16"
                "goes on with the MO of the message in front";
            TaggedOffsetStuck "tagged-offset-stuck" Both RFC5040 "RFC5041-5.2-08"
                "sends every segment of a message with the same TO";
            LastMissing "last-missing" Both RFC5040 "RFC5041-4.1-03"
                "never sets L";
            LastOnEverySegment "last-on-every-segment" Both RFC5040 "RFC5041-4.1-04"
                "sets L in every segment";
            DdpVersionZero "ddp-version-zero" Both RFC5040 "RFC5041-4.1-10"
                "sends DDP version 0";
            DdpReservedBits "ddp-reserved-bits" Both RFC5040 "RFC5041-4.1-08"
                "sets a reserved bit of the DDP control byte";
            InvalidateTagOnce "invalidate-tag-once" Both RFC5040 "RFC5041-4.3-05"
                "names the STag to invalidate in the first segment alone";
            DdpVersionUnchecked "ddp-version-unchecked" Both RFC5040 "RFC5041-7.2-03"
                "takes any DDP version";
            DdpReservedChecked "ddp-reserved-checked" Both RFC5040 "RFC5041-4.1-09"
                "refuses segments with a reserved bit";
            QueueNumberUnchecked "queue-number-unchecked" Both RFC5040 "RFC5041-7.1-02"
                "takes segments for queues that there are not as for queue 0";
            SequenceNumberUnchecked "sequence-number-unchecked" Both RFC5040 "RFC5041-7.1-10"
                "takes any MSN for the next";
            SequenceNumberGapsTaken "sequence-number-gaps-taken" Both RFC5040 "RFC5041-7.1-10"
                "takes an MSN that is ahead of the next";
            MessageOffsetUnchecked "message-offset-unchecked" Both RFC5040 "RFC5041-7.1-08"
                "takes any MO for the next";
            MessageLengthUnchecked "message-length-unchecked" Both RFC5040 "RFC5041-7.1-09"
                "takes messages that are longer than their buffer";
            MessageLengthLoose "message-length-loose" Both RFC5040 "RFC5040-5.3-05"
                "takes messages that are one byte longer than their buffer";
            QueueOffsetNotReset "queue-offset-not-reset" Both RFC5040 "RFC5041-4.3-16"
                "expects each message to go on with the MO of the one in front";
            MissingBufferTaken "missing-buffer-taken" Both RFC5040 "RFC5041-7.1-03"
                "drops messages without a buffer, and tells nobody";
            ZeroLengthTaggedJudged "zero-length-tagged-judged" Both RFC5040 "RFC5041-5.2-11"
                "judges STag and TO of tagged messages without payload";
            LateSegmentsTaken "late-segments-taken" Both RFC5040 "RFC5041-7.1-20"
                "places what comes behind a segment that it refused";
            ShortSegmentDropped "short-segment-dropped" Both RFC5040 "RFC5041-6.2.2-01"
                "drops segments that are shorter than their header, and tells nobody";
            LastIgnored "last-ignored" Both RFC5040 "RFC5041-5.4-01"
                "takes every untagged segment for the last of its message";
        ]
    } $($rest)* } };
}
