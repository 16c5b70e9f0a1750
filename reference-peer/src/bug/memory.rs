//! Bugs in regions, their bounds and rights.

macro_rules! memory_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Memory: [
            StaleTagUsable "stale-tag-usable" Both RFC5040 "RFC5040-8.1.1-06"
                "lets peers go on using a Steering Tag that was invalidated";
            TagKeyIgnored "tag-key-ignored" Both RFC5040 "RFC5041-7.1-13"
                "compares the index of a Steering Tag alone, not its key";
            RevalidatedTagKeepsKey "revalidated-tag-keeps-key" Both RFC5040 "RFC5041-8.3-04"
                "gives a Steering Tag the same key again when it becomes valid";
            SteeringTagsInOrder "steering-tags-in-order" Both RFC5040 "RFC5040-8.1.1-08"
                "gives Steering Tags in a row";
            StreamAssociationUnchecked "stream-association-unchecked" Both RFC5040 "RFC5040-8.1.1-02"
                "lets every stream use the Steering Tag of one";
            ProtectionDomainUnchecked "protection-domain-unchecked" Both RFC5040 "RFC5040-8.1.1-01"
                "lets streams of any Protection Domain use a Steering Tag";
            SharedTagInvalidated "shared-tag-invalidated" Both RFC5040 "RFC5040-8.1.1-07"
                "lets peers invalidate a Steering Tag that streams share";
            ForeignTagInvalidated "foreign-tag-invalidated" Both RFC5040 "RFC5040-5.3-14"
                "lets peers invalidate the Steering Tag of another stream";
            ReadRightUnchecked "read-right-unchecked" Both RFC5040 "RFC5040-8.1.1-05"
                "lets peers read what may not be read";
            WriteRightUnchecked "write-right-unchecked" Both RFC5040 "RFC5041-7.1-14"
                "lets peers write to what may not be written to";
            AtomicRightUnchecked "atomic-right-unchecked" Both RFC7306 "RFC7306-8.2-01"
                "lets peers do atomic operations where they may not";
            FlushRightUnchecked "flush-right-unchecked" Both COMMIT "COMMIT-5.2-01"
                "lets peers flush what they may not flush";
            VerifyRightUnchecked "verify-right-unchecked" Both COMMIT "COMMIT-5.2-01"
                "lets peers hash what they may not hash";
            BoundsUnchecked "bounds-unchecked" Both RFC5040 "RFC5041-8.1-01"
                "does not look where a region ends";
            BoundsEndLoose "bounds-end-loose" Both RFC5040 "RFC5041-7.1-16"
                "takes a region for one byte longer than it is";
            BoundsEndTight "bounds-end-tight" Both RFC5040 "RFC5041-8.3-02"
                "takes a region for one byte shorter than it is";
            LowerBoundUnchecked "lower-bound-unchecked" Both RFC5040 "RFC5041-7.1-15"
                "takes offsets in front of a region for its start";
            BaseIgnored "base-ignored" Both RFC5040 "RFC5041-8.3.1-05"
                "takes Tagged Offsets for distances from the region's start, whatever its base is";
            WrapUnchecked "wrap-unchecked" Both RFC5040 "RFC5041-7.1-17"
                "lets the sum of Tagged Offset and length wrap";
            WindowStartIgnored "window-start-ignored" Both RFC5040 "RFC5041-8.3.1-04"
                "takes a window for the start of its region";
            AlignmentOfOffset "alignment-of-offset" Both RFC7306 "RFC7306-5.2.1-06"
                "judges the alignment of the Tagged Offset, not that of the address";
            PlacementShort "placement-short" Both RFC5040 "RFC5041-5.2-05"
                "leaves the last byte of each segment unplaced";
        ]
    } $($rest)* } };
}
