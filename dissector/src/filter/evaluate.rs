//! Evaluation of a compiled filter against a tree.
//!
//! Values are handed to a closure one by one; it returns true to stop. Numbers, addresses, times
//! and slices of one range are never copied to the heap.

use super::arithmetic;
use super::operand::{Constant, Number, Operand};
use super::program::{Element, Program, Source, Value};
use super::ranges::Span;
use super::syntax::{Comparison, Quantifier};
use super::traits;
use crate::field::Kind;
use crate::tree::{self, Node, Tree};

/// What a value is handed to; true stops.
type Visitor<'a> = &'a mut dyn FnMut(Operand<'_>) -> bool;

impl Program {
    /// Whether the tree passes.
    pub(super) fn matches(&self, tree: &Tree) -> bool {
        match self {
            Self::All(tests) => tests.iter().all(|test| test.matches(tree)),
            Self::Any(tests) => tests.iter().any(|test| test.matches(tree)),
            Self::Odd(tests) => tests.iter().filter(|test| test.matches(tree)).count() % 2 == 1,
            Self::Not(test) => !test.matches(tree),
            Self::Present(value) => value.visit(tree, &mut |_| true),
            Self::NotEmpty(value) => {
                value.visit(tree, &mut |found| found.with_bytes(|bytes| !bytes.is_empty()))
            }
            Self::Set(value) => value.visit(tree, &mut |found| found.is_set()),
            Self::Compare { comparison, quantifier, left, right } => {
                pairs(*quantifier, left, right, tree, &|left, right| {
                    left.satisfies(*comparison, right)
                })
            }
            Self::Contains { quantifier, left, right } => {
                pairs(*quantifier, left, right, tree, &|left, right| {
                    left.with_bytes(|bytes| right.with_bytes(|sought| contains(bytes, sought)))
                })
            }
            Self::Matches { quantifier, left, regex } => {
                quantified(*quantifier, left, tree, |found| {
                    found.with_bytes(|bytes| regex.is_match(bytes))
                })
            }
            Self::Member { quantifier, left, set } => {
                quantified(*quantifier, left, tree, |found| {
                    set.iter().any(|element| element.holds(found, tree))
                })
            }
        }
    }
}

/// Whether any value, or every one of at least one, passes.
fn quantified(
    quantifier: Quantifier,
    value: &Value,
    tree: &Tree,
    test: impl Fn(Operand<'_>) -> bool,
) -> bool {
    match quantifier {
        Quantifier::Any => value.visit(tree, &mut |found| test(found)),
        Quantifier::All => {
            let mut seen = false;
            let failed = value.visit(tree, &mut |found| {
                seen = true;
                !test(found)
            });
            seen && !failed
        }
    }
}

/// Whether any pair of a left and a right value, or every one of at least one, passes.
fn pairs(
    quantifier: Quantifier,
    left: &Value,
    right: &Value,
    tree: &Tree,
    test: &dyn Fn(Operand<'_>, Operand<'_>) -> bool,
) -> bool {
    let all = quantifier == Quantifier::All;
    let mut seen = false;
    let stopped = left.visit(tree, &mut |first| {
        right.visit(tree, &mut |second| {
            seen = true;
            test(first, second) != all
        })
    });
    if all { seen && !stopped } else { stopped }
}

/// Whether the sought bytes are part of the others; empty ones never are.
fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    !sought.is_empty() && bytes.windows(sought.len()).any(|window| window == sought)
}

impl Element {
    fn holds(&self, found: Operand<'_>, tree: &Tree) -> bool {
        match self {
            Self::One(value) => {
                value.visit(tree, &mut |element| found.satisfies(Comparison::Equal, element))
            }
            Self::Range(low, high) => {
                low.visit(tree, &mut |low| found.satisfies(Comparison::GreaterOrEqual, low))
                    && high.visit(tree, &mut |high| found.satisfies(Comparison::LessOrEqual, high))
            }
        }
    }
}

impl Source {
    /// Hands over the nodes of the field.
    fn visit(&self, tree: &Tree, each: &mut dyn FnMut(&Node) -> bool) -> bool {
        let mut layer = None;
        for (index, node) in tree.nodes.iter().enumerate() {
            if node.depth == 0 {
                layer = Some(index);
            }
            if node.field == self.field && self.in_layer(tree, layer) && each(node) {
                return true;
            }
        }
        false
    }

    /// Whether the layer, among those of its protocol, is one that is asked for.
    fn in_layer(&self, tree: &Tree, layer: Option<usize>) -> bool {
        let Some(wanted) = &self.layers else { return true };
        let Some((index, node)) = layer.and_then(|index| Some((index, tree.nodes.get(index)?)))
        else {
            return false;
        };
        let alike = |nodes: &[Node]| {
            nodes.iter().filter(|other| other.depth == 0 && other.field == node.field).count()
        };
        let before = alike(tree.nodes.get(..index).unwrap_or(&[]));
        let count = alike(&tree.nodes);
        // Layers count from 1, so that one more than the last is the length.
        wanted.iter().any(|span| span.contains(before + 1, count + 1))
    }
}

/// A node's value.
fn with_node(tree: &Tree, node: &Node, each: Visitor<'_>) -> bool {
    match (&node.value, node.field.kind) {
        (_, Kind::Protocol) => each(Operand::Bytes(tree.bytes_from(node))),
        (tree::Value::None, _) => each(Operand::Bytes(&[])),
        (tree::Value::Unsigned(value), Kind::Boolean) => each(Operand::Boolean(*value != 0)),
        (tree::Value::Unsigned(value), kind) => {
            let wide = traits::is_wide(kind) || *value > u64::from(u32::MAX);
            each(Operand::Number(Number::unsigned(*value, wide)))
        }
        (value @ tree::Value::Bytes { .. }, Kind::Text) => {
            each(Operand::Text(tree.value_bytes(value)))
        }
        (value @ tree::Value::Bytes { .. }, _) => each(Operand::Bytes(tree.value_bytes(value))),
        (tree::Value::Ipv4(bytes), _) => {
            each(Operand::Ipv4 { address: u32::from_be_bytes(*bytes), mask: u32::MAX })
        }
        (tree::Value::Ipv6(bytes), _) => {
            each(Operand::Ipv6 { address: u128::from_be_bytes(*bytes), mask: u128::MAX })
        }
        (tree::Value::Ethernet(bytes), _) => each(Operand::Bytes(bytes)),
        (tree::Value::Text(text), _) => each(Operand::Text(text.as_bytes())),
        (tree::Value::Time(nanoseconds), _) => each(Operand::Time(*nanoseconds)),
    }
}

impl Value {
    /// Hands over the values one by one; true when that was stopped.
    fn visit(&self, tree: &Tree, each: Visitor<'_>) -> bool {
        match self {
            Self::Field(source) => source.visit(tree, &mut |node| with_node(tree, node, each)),
            Self::Constant(constant) => each(constant.operand()),
            Self::Slice(inner, ranges) => {
                inner.visit(tree, &mut |found| found.with_bytes(|bytes| slice(bytes, ranges, each)))
            }
            Self::Negated(inner) => {
                inner.visit(tree, &mut |found| arithmetic::negate(found).is_some_and(&mut *each))
            }
            Self::Absolute(inner) => {
                inner.visit(tree, &mut |found| arithmetic::absolute(found).is_some_and(&mut *each))
            }
            Self::Binary(operation, left, right) => left.visit(tree, &mut |first| {
                right
                    .visit(tree, &mut |second| arithmetic::compute(*operation, first, second, each))
            }),
            Self::Length(inner, kind) => inner.visit(tree, &mut |found| {
                each(Operand::Number(Number::unsigned(length(found, *kind), false)))
            }),
            Self::Count(inner) => {
                let mut count = 0;
                inner.visit(tree, &mut |_| {
                    count += 1;
                    false
                });
                count > 0 && each(Operand::Number(Number::unsigned(count, false)))
            }
            Self::Upper(inner) => inner.visit(tree, &mut |found| {
                each(Operand::Text(&found.with_bytes(<[u8]>::to_ascii_uppercase)))
            }),
            Self::Lower(inner) => inner.visit(tree, &mut |found| {
                each(Operand::Text(&found.with_bytes(<[u8]>::to_ascii_lowercase)))
            }),
            Self::Written(source) => {
                let mut text = String::new();
                source.visit(tree, &mut |node| {
                    text.clear();
                    tree.value_text(node, &mut text);
                    each(Operand::Text(text.as_bytes()))
                })
            }
            Self::Extreme { largest, arguments } => {
                let mut best: Option<Constant> = None;
                for argument in arguments {
                    argument.visit(tree, &mut |found| {
                        let order = best.as_ref().and_then(|best| found.order(best.operand()));
                        let better =
                            order.is_none_or(
                                |order| {
                                    if *largest { order.is_gt() } else { order.is_lt() }
                                },
                            );
                        if better {
                            best = Some(found.keep());
                        }
                        false
                    });
                }
                best.is_some_and(|best| each(best.operand()))
            }
        }
    }
}

/// Hands over the bytes in the ranges, up to the first range that is not all there.
fn slice(bytes: &[u8], ranges: &[Span], each: Visitor<'_>) -> bool {
    let part = |range: &Span| {
        let (start, count) = range.resolve(bytes.len())?;
        bytes.get(start..start.checked_add(count)?)
    };
    if let [range] = ranges {
        return each(Operand::Bytes(part(range).unwrap_or(&[])));
    }
    let parts: Vec<u8> = ranges.iter().map_while(part).flatten().copied().collect();
    each(Operand::Bytes(&parts))
}

/// The number of bytes of a value.
fn length(found: Operand<'_>, kind: Kind) -> u64 {
    match found {
        Operand::Number(_) => u64::from(traits::integer_bytes(kind)),
        Operand::Boolean(_) | Operand::Time(_) => 0,
        _ => found.with_bytes(|bytes| bytes.len() as u64),
    }
}
