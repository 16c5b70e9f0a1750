//! Bugs in FPDUs, CRCs and markers.

macro_rules! mpa_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Mpa: [
            CrcWithoutLength "crc-without-length" Both RFC5040 "RFC5044-4.4-13"
                "leaves ULPDU_Length out of the CRC";
            CrcWithoutPad "crc-without-pad" Both RFC5040 "RFC5044-4.4-13"
                "leaves the pad out of the CRC";
            CrcWithoutMarkers "crc-without-markers" Both RFC5040 "RFC5044-4.4-14"
                "leaves the markers out of the CRC";
            CrcPlainPolynomial "crc-plain-polynomial" Both RFC5040 "RFC5044-4.4-12"
                "computes CRC-32 with Ethernet's polynomial";
            CrcBigEndian "crc-big-endian" Both RFC5040 "RFC5044-4.4-12"
                "sends the bytes of the CRC in the wrong order";
            CrcZero "crc-zero" Both RFC5040 "RFC5044-4.4-08"
                "sends a CRC of zero although CRCs are in use";
            CrcFieldMissing "crc-field-missing" Both RFC5040 "RFC5044-4.4-11"
                "leaves the CRC field out when CRCs are not in use";
            CrcUnchecked "crc-unchecked" Both RFC5040 "RFC5044-4.4-17"
                "takes FPDUs with a wrong CRC";
            CrcCheckedThoughOff "crc-checked-though-off" Both RFC5040 "RFC5044-4.1-07"
                "checks CRCs although they are not in use";
            LengthLittleEndian "length-little-endian" Both RFC5040 "RFC5044-4.1-01"
                "sends ULPDU_Length with its bytes swapped";
            LengthCountsItself "length-counts-itself" Both RFC5040 "RFC5044-4.1-02"
                "counts the length field in ULPDU_Length";
            LengthCountsPad "length-counts-pad" Both RFC5040 "RFC5044-4.1-02"
                "counts the pad in ULPDU_Length";
            LengthCountsMarkers "length-counts-markers" Both RFC5040 "RFC5044-4.1-02"
                "counts the markers within an FPDU in ULPDU_Length";
            PadNotZero "pad-not-zero" Both RFC5040 "RFC5044-4.1-03"
                "sends a pad that is not zero";
            PadMissing "pad-missing" Both RFC5040 "RFC5044-4.1-05"
                "sends no pad";
            PadOfFour "pad-of-four" Both RFC5040 "RFC5044-4.1-05"
                "sends a pad of four bytes where none is needed";
            PadChecked "pad-checked" Both RFC5040 "RFC5044-4.1-04"
                "refuses FPDUs whose pad is not zero";
            MarkerIntervalShort "marker-interval-short" Both RFC5040 "RFC5044-4.3-02"
                "sends a marker at every 508th byte";
            MarkersFromSetup "markers-from-setup" Both RFC5040 "RFC5044-4.3-07"
                "counts the places of markers from its setup frame on";
            FirstMarkerMissing "first-marker-missing" Both RFC5040 "RFC5044-4.3-07"
                "sends its first marker at byte 512";
            MarkerPointerOff "marker-pointer-off" Both RFC5040 "RFC5044-4.2-04"
                "points four bytes in front of the FPDU in its markers";
            MarkerPointerZero "marker-pointer-zero" Both RFC5040 "RFC5044-4.3-03"
                "points nowhere in its markers";
            MarkerBetweenPointsBack "marker-between-points-back" Both RFC5040 "RFC5044-4.3-10"
                "points to the FPDU in front in a marker between two";
            MarkerReservedBits "marker-reserved-bits" Both RFC5040 "RFC5044-4.2-02"
                "sets a reserved bit in its markers";
            MarkerLowBits "marker-low-bits" Both RFC5040 "RFC5044-4.2-05"
                "sets the two lowest bits of FPDUPTR";
            MarkerPositionUnchecked "marker-position-unchecked" Both RFC5040 "RFC5044-8-03"
                "takes FPDUs whose markers point elsewhere";
            MarkerLowBitsCounted "marker-low-bits-counted" Both RFC5040 "RFC5044-4.2-06"
                "counts with the two lowest bits of FPDUPTR in what it receives";
            MarkerReservedChecked "marker-reserved-checked" Both RFC5040 "RFC5044-4.2-03"
                "refuses markers with a reserved bit";
            MulpduWithoutMarkers "mulpdu-without-markers" Both RFC5040 "RFC5044-4.5-01"
                "leaves no room for markers in its ULPDUs";
            MulpduOfSegment "mulpdu-of-segment" Both RFC5040 "RFC5044-4.5-02"
                "makes ULPDUs as long as a TCP segment";
            MulpduUnder128 "mulpdu-under-128" Both RFC5040 "RFC5044-4.5-06"
                "makes ULPDUs of less than 128 bytes where TCP segments are short";
            LongUlpduRefused "long-ulpdu-refused" Both RFC5040 "RFC5044-3-08"
                "refuses ULPDUs of more than 1460 bytes";
            CutFpduDropped "cut-fpdu-dropped" Both RFC5040 "RFC5044-5.1-05"
                "drops FPDUs that do not come whole";
            BadFpduSkipped "bad-fpdu-skipped" Both RFC5040 "RFC5044-8-11"
                "goes on behind an FPDU with an error";
            ResponderSpeaksFirst "responder-speaks-first" Responder RFC5040 "RFC5044-7.1.2-15"
                "sends FPDUs before it has heard one";
            FpduTakenEarly "fpdu-taken-early" Both RFC5040 "RFC5044-6-05"
                "takes FPDUs as soon as all but their CRC has come";
            CutFpduRefused "cut-fpdu-refused" Both RFC5040 "RFC5044-6-05"
                "takes FPDUs that come in pieces for wrong ones";
            FirstFpduDropped "first-fpdu-dropped" Both RFC5040 "RFC5044-7.1-04"
                "drops the first FPDU that comes behind the setup";
        ]
    } $($rest)* } };
}
