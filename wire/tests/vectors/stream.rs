//! Streams of FPDUs with markers.

use super::file::{Fields, Value, Vector};
use super::mpa::crc_value;
use super::shown::Report;
use sha2::{Digest, Sha256};
use warpscope_wire::crc;
use warpscope_wire::mpa::*;

/// Compares a stream vector with a walk over its bytes.
pub(crate) fn check(report: &mut Report, vector: &Vector) {
    let mut fields = vector.fields.clone();
    let (Some(Value::Number(first_marker_at)), Some(Value::List(fpdus))) =
        (fields.remove("first_marker_at"), fields.remove("fpdus"))
    else {
        return report.fail(vector, "first_marker_at or fpdus is missing");
    };
    report.same(vector, "fields left over", Fields::new(), fields);
    // The vector leaves open how many whole intervals went before: none, TCP's numbers about to
    // wrap, the position about to.
    let first = next_marker(first_marker_at) - first_marker_at;
    for before in [0, u64::from(u32::MAX) + 1 - MARKER_INTERVAL, u64::MAX - MARKER_INTERVAL + 1] {
        let position = first + before;
        report.same(
            vector,
            "first_marker_at",
            first_marker_at,
            next_marker(position).wrapping_sub(position),
        );
        let mut walk = Walk { position, offset: 0, fault: false };
        for expected in &fpdus {
            let Value::Map(expected) = expected else {
                return report.fail(vector, "an FPDU is not a map");
            };
            walk.next(report, vector, expected.clone());
        }
        report.same(vector, "bytes in FPDUs", vector.bytes.len(), walk.offset);
        report.same(vector, "legal", vector.legal, !walk.fault);
    }
}

struct Walk {
    position: u64,
    offset: usize,
    /// Something was not as a sender must send it.
    fault: bool,
}

impl Walk {
    fn next(&mut self, report: &mut Report, vector: &Vector, mut expected: Fields) {
        let position = self.position.wrapping_add(self.offset as u64);
        let stream = &vector.bytes[self.offset..];
        let (mut fpdu, mut markers) = (Vec::new(), Vec::new());
        let demarked = match demark(position, stream, &mut fpdu, &mut markers) {
            Ok(demarked) => demarked,
            Err(error) => return report.fail(vector, &format!("FPDU: {error}")),
        };
        let view = match FpduView::parse(&fpdu) {
            Ok((view, [])) => view,
            other => return report.fail(vector, &format!("FPDU: {other:?}")),
        };
        let at = |offset: &usize| Value::from(self.offset + offset);
        let marker_view = |offset: &usize| MarkerView::parse(&stream[*offset..]).unwrap().0;
        let pointer = |offset: &usize| Value::from(marker_view(offset).fpdu_pointer());
        let sha256: String =
            Sha256::digest(view.ulpdu()).iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = Fields::from([
            ("start".into(), at(&demarked.start)),
            ("ulpdu_length".into(), view.ulpdu_length().into()),
            ("ulpdu".into(), view.ulpdu().into()),
            ("ulpdu_sha256".into(), Value::Text(sha256)),
            ("crc_value".into(), crc_value(view).into()),
            ("marker_positions".into(), Value::List(markers.iter().map(at).collect())),
            ("fpdu_pointers".into(), Value::List(markers.iter().map(pointer).collect())),
        ]);
        for (name, got) in &shown {
            if let Some(expected) = expected.remove(name) {
                report.same(vector, name, &expected, got);
            }
        }
        report.same(vector, "fields left over", Fields::new(), expected);

        let UnmarkedFpdu { consumed, computed_crc, start, .. } = demarked;
        report.same(vector, "ULPDU_Length", demarked.ulpdu_length, view.ulpdu_length());
        let length = fpdu_length_with_markers(position, view.ulpdu_length());
        report.same(vector, "bytes with markers", consumed, length);
        let legal_marker = |offset: &usize| {
            let back = offset.saturating_sub(start);
            Marker::try_from(marker_view(offset))
                .is_ok_and(|marker| usize::from(marker.fpdu_pointer()) == back)
        };
        let legal = computed_crc == view.crc() && markers.iter().all(legal_marker);
        // Made again from the ULPDU, the FPDU is the same if and only if it was legal.
        let again = recreate(position, view.ulpdu());
        let bytes = &stream[..consumed];
        if legal {
            report.same(vector, "FPDU made again", Value::from(bytes), Value::from(&again[..]));
        } else {
            report.same(vector, "FPDU made again is as bad", false, bytes == again);
            report.same(vector, "its length", bytes.len(), again.len());
        }
        if markers.is_empty() {
            report.same(vector, "CRC without markers", computed_crc, crc::crc32c(view.covered()));
        }
        self.fault |= !legal;
        self.offset += consumed;
    }
}

fn recreate(position: u64, ulpdu: &[u8]) -> Vec<u8> {
    let fpdu = Fpdu::new(ulpdu).unwrap();
    let mut plain = vec![0xff; fpdu.length()];
    fpdu.emit(&mut plain).unwrap();
    let mut stream = vec![0xa5];
    insert_markers(position, &plain, &mut stream);
    assert_eq!(stream.remove(0), 0xa5, "what was in the stream before");
    stream
}
