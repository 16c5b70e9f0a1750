//! What atomic operations compute (RFC 7306 section 5.1).

use warpscope_wire::rdmap::AtomicOperation;

/// The word that an operation leaves behind.
pub(crate) fn apply(operation: AtomicOperation, original: u64) -> u64 {
    match operation {
        // Fields end at the mask's bits: the carry into such a bit counts, the one out of it
        // does not.
        AtomicOperation::FetchAdd { add_data, add_mask } => {
            let within = (original & !add_mask).wrapping_add(add_data & !add_mask);
            within ^ ((original ^ add_data) & add_mask)
        }
        AtomicOperation::Swap { swap_data } => swap_data,
        AtomicOperation::CmpSwap { swap_data, swap_mask, compare_data, compare_mask } => {
            if (compare_data ^ original) & compare_mask != 0 {
                return original;
            }
            original & !swap_mask | swap_data & swap_mask
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 7306 section 5.1.1 adds bit by bit.
    fn bit_by_bit(original: u64, data: u64, mask: u64) -> u64 {
        let (mut carry, mut result) = (0, 0);
        for bit in 0..64 {
            let sum = carry + (original >> bit & 1) + (data >> bit & 1);
            result |= (sum & 1) << bit;
            carry = if mask >> bit & 1 == 1 { 0 } else { sum >> 1 };
        }
        result
    }

    proptest! {
        #[test]
        fn fetch_add_adds_field_by_field(original: u64, add_data: u64, add_mask: u64) {
            let operation = AtomicOperation::FetchAdd { add_data, add_mask };
            prop_assert_eq!(apply(operation, original), bit_by_bit(original, add_data, add_mask));
            let whole = AtomicOperation::FetchAdd { add_data, add_mask: 0 };
            prop_assert_eq!(apply(whole, original), original.wrapping_add(add_data));
        }
    }

    #[test]
    fn cmp_swap_compares_and_swaps_masked_bits() {
        let operation = AtomicOperation::CmpSwap {
            swap_data: 0xffff,
            swap_mask: 0x0ff0,
            compare_data: 0xab00,
            compare_mask: 0xff00,
        };
        assert_eq!(apply(operation, 0xab12), 0xaff2);
        assert_eq!(apply(operation, 0xac12), 0xac12);
    }
}
