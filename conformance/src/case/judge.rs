//! Values and matchers at the time of the run.

use super::step::{FieldValue, Matcher};
use super::value::{Unbound, Variable};
use crate::layout::Given;

/// What the variables are when a step is carried out.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// The numbers.
    pub number: &'a dyn Fn(&Variable) -> Option<u64>,
    /// The bytes that steps bound.
    pub bytes: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl FieldValue {
    /// The value, to be composed into a message.
    ///
    /// # Errors
    /// When a variable has no value.
    pub fn evaluate(&self, values: Values<'_>) -> Result<Given, Unbound> {
        Ok(match self {
            Self::Number(value) => Given::Number(value.evaluate(values.number)?),
            Self::Bytes(bytes) => Given::Bytes(bytes.evaluate(values.number, values.bytes)?),
            Self::List(elements) => {
                let mut all = Vec::new();
                for element in elements {
                    all.push(evaluate_all(element, values)?);
                }
                Given::List(all)
            }
        })
    }
}

/// The values of fields, as [`Message::compose`](crate::layout::Message::compose) takes them.
///
/// # Errors
/// When a variable has no value.
pub fn evaluate_all(
    fields: &[(String, FieldValue)],
    values: Values<'_>,
) -> Result<Vec<(String, Given)>, Unbound> {
    fields.iter().map(|(name, value)| Ok((name.clone(), value.evaluate(values)?))).collect()
}

impl Matcher {
    /// Whether a field that was read is as it must be.
    ///
    /// # Errors
    /// When a variable has no value.
    pub fn accepts(&self, field: &Given, values: Values<'_>) -> Result<bool, Unbound> {
        if let Self::Bytes(bytes) = self {
            let wanted = bytes.evaluate(values.number, values.bytes)?;
            return Ok(*field == Given::Bytes(wanted));
        }
        let Some(found) = field.number() else { return Ok(matches!(self, Self::Any)) };
        Ok(match self {
            Self::Any | Self::Bytes(_) => true,
            // Of a list, its number of elements was read.
            Self::List(elements) => found == elements.len() as u64,
            Self::Is(value) => found == value.evaluate(values.number)?,
            Self::Not(value) => found != value.evaluate(values.number)?,
            Self::AtLeast(value) => found >= value.evaluate(values.number)?,
            Self::AtMost(value) => found <= value.evaluate(values.number)?,
            Self::MultipleOf(value) => {
                let unit = value.evaluate(values.number)?;
                found.checked_rem(unit).unwrap_or(found) == 0
            }
            Self::OneOf(list) => {
                let mut any = false;
                for value in list {
                    any |= found == value.evaluate(values.number)?;
                }
                any
            }
        })
    }
}
