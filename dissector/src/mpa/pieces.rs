//! Where the octets of a buffer came from: runs that are used up from the front.

use crate::stream::Piece;
use arrayvec::ArrayVec;

/// Pieces of one item that are told apart; an item of more shows the first ones.
const PIECES: usize = 64;

/// A piece without its first octets.
pub(super) fn advance(piece: Piece, octets: usize) -> Piece {
    let octets = (octets as u32).min(piece.length);
    Piece { payload_offset: piece.payload_offset + octets, length: piece.length - octets, ..piece }
}

/// Takes octets off the front of some pieces.
pub(super) fn advance_pieces(pieces: &mut Vec<Piece>, mut octets: usize) {
    let mut gone = 0;
    for piece in pieces.iter_mut() {
        let part = octets.min(piece.length as usize);
        *piece = advance(*piece, part);
        octets -= part;
        if piece.length > 0 {
            break;
        }
        gone += 1;
    }
    pieces.drain(..gone);
}

/// Keeps only the first octets of some pieces.
pub(super) fn truncate_pieces(pieces: &mut Vec<Piece>, mut octets: usize) {
    pieces.retain_mut(|piece| {
        piece.length = piece.length.min(octets as u32);
        octets -= piece.length as usize;
        piece.length > 0
    });
}

/// The pieces of the first octets.
pub(super) fn cut_pieces(pieces: &[Piece], octets: usize) -> ArrayVec<Piece, PIECES> {
    let mut left = octets as u32;
    let mut cut = ArrayVec::new();
    for piece in pieces {
        if left == 0 {
            break;
        }
        let part = Piece { length: piece.length.min(left), ..*piece };
        left -= part.length;
        if cut.try_push(part).is_err() {
            break;
        }
    }
    cut
}
