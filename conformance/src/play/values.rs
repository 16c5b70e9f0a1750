//! Numbers and bytes, with what the variables are.

use super::buffers::local_tag;
use super::player::Playing;
use crate::case::{Aspect, Bytes, Region, Side, StreamAspect, Value, Variable};
use crate::engine::Bits;
use crate::run::Scene;

impl Playing<'_> {
    /// A number, for a step about `stream`.
    pub(super) fn number(
        &self,
        value: &Value,
        stream: u32,
        scene: &Scene<'_>,
    ) -> Result<u64, String> {
        let of = |variable: &Variable| self.variable(variable, stream, scene);
        value.evaluate(&of).map_err(|error| error.to_string())
    }

    /// Bytes, for a step about `stream`.
    pub(super) fn bytes(
        &self,
        bytes: &Bytes,
        stream: u32,
        scene: &Scene<'_>,
    ) -> Result<Vec<u8>, String> {
        let of = |variable: &Variable| self.variable(variable, stream, scene);
        let bytes_of = |name: &str| self.bytes.get(name).cloned();
        bytes.evaluate(&of, &bytes_of).map_err(|error| error.to_string())
    }

    fn variable(&self, variable: &Variable, stream: u32, scene: &Scene<'_>) -> Option<u64> {
        match variable {
            Variable::Bound(name) => self.numbers.get(name).copied(),
            Variable::Region(region, aspect) => self.region_aspect(region, *aspect, scene),
            Variable::Stream(aspect) => {
                let link = scene.link(stream)?;
                let depth = |bits: Bits| bits.read(link.peer_setup()?.private_data());
                Some(match aspect {
                    StreamAspect::Mulpdu => link.longest_ulpdu() as u64,
                    StreamAspect::NextMessageSequenceNumber => link.next_sequence(0).into(),
                    StreamAspect::InboundDepth => depth(Bits::new(2, 14))?,
                    StreamAspect::OutboundDepth => depth(Bits::new(18, 14))?,
                })
            }
        }
    }

    fn region_aspect(&self, region: &Region, aspect: Aspect, scene: &Scene<'_>) -> Option<u64> {
        let (tag, base, length) = match region.side {
            Side::Target => {
                let known = scene.region(&region.name)?;
                (known.steering_tag, known.base, known.length)
            }
            Side::Local => {
                let buffers = &self.script.instance.buffers;
                let index = buffers.iter().position(|it| it.region == *region)?;
                let buffer = buffers.get(index)?;
                let (tag, base) = local_tag(index);
                let base = buffer.base.as_ref().map_or(Some(base), Value::known)?;
                (tag, base, buffer.length)
            }
        };
        Some(match aspect {
            Aspect::SteeringTag => tag.into(),
            Aspect::Base => base,
            Aspect::Length => length,
            Aspect::End => base.wrapping_add(length),
        })
    }
}
