//! Which requirements the cases and the passive rules judge, and which none does.
