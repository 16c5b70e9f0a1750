//! Whatever is pressed, nothing breaks.

use crate::prelude::*;
use ratatui::crossterm::event::KeyCode;

/// A generator of numbers (xorshift), the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn a_hundred_thousand_things_in_a_row() {
    let mut numbers = Numbers(0x2545_F491_4F6C_DD1D);
    let mut driven = open("captures/e1-terminate-stock.pcap", SMALL);
    let typed = "iwarp_rdma.opcode == tcp.stream 0x12 ~[a-z] \"\\ äß{}()<>KJ+";
    let typed: Vec<char> = typed.chars().collect();
    for step in 0..100_000 {
        let state = &mut driven.session.state;
        match numbers.below(20) {
            0..12 => {
                let bindings = action::all();
                let binding = &bindings[numbers.below(bindings.len())];
                if state.mode == Mode::View && binding.action != Action::Quit {
                    state.act(binding.action);
                } else {
                    let word = binding.keys[numbers.below(binding.keys.len())];
                    state.key(Key::parse(word).unwrap());
                }
            }
            12..16 => state.key(Key::character(typed[numbers.below(typed.len())])),
            16 => state.key(Key::plain(KeyCode::Enter)),
            17 => state.key(Key::plain(KeyCode::Esc)),
            18 => {
                let at = (numbers.below(220) as u16, numbers.below(70) as u16);
                let wheel = Mouse::Wheel(numbers.below(3) as i8 - 1);
                state.mouse(at, if numbers.below(2) == 0 { Mouse::Press } else { wheel });
            }
            _ if numbers.below(20) == 0 => {
                state.resize((numbers.below(220) as u16, numbers.below(70) as u16));
            }
            _ => {}
        }
        state.quit = false;
        // Captures would be written here.
        state.effects.retain(|effect| !matches!(effect, Effect::SaveFrames { .. }));
        state.writing = false;
        driven.session.run();
        driven.session.left.clear();
        if step % 50 == 0 {
            assert!(driven.session.settle());
            driven.screen();
        }
        let state = driven.state();
        let (cursor, count) = state.cursor();
        assert!(cursor.selected < count.max(1), "step {step}, {:?}", state.view);
    }
}
