//! The tests of the vector code also pass on the lower instruction levels of this CPU.

use softmargin::simd::{Level, level};
use std::process::Command;

/// The tests that run again on each level: those of the vector code, and the check of the level.
const AGAIN: [&str; 4] = [
    "exponential::",
    "products::",
    "simd::",
    "the_level_in_use_is_not_above_the_requested_one",
];

#[test]
fn vector_code_is_correct_on_every_level() {
    let this = std::env::current_exe().expect("the path of this test");
    for wanted in [Level::Baseline, Level::Avx2] {
        let child = Command::new(&this)
            .args(AGAIN)
            .env("SOFTMARGIN_SIMD", wanted.name())
            .output()
            .expect("this test can start itself");
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "{}: {said}", wanted.name());
        assert!(!said.contains(" 0 passed"), "{}: {said}", wanted.name());
    }
}

/// The requested level is used, or a lower one if the CPU does not support it.
#[test]
fn the_level_in_use_is_not_above_the_requested_one() {
    let wanted = std::env::var("SOFTMARGIN_SIMD").unwrap_or_default();
    for known in [Level::Baseline, Level::Avx2, Level::Avx512] {
        if known.name() == wanted {
            assert!(level() <= known, "{} was asked for", known.name());
        }
    }
}
