//! The tests of the vector code pass on the lower vector levels of this machine, too.

use softmargin::simd::{Level, level};
use std::process::Command;

/// What runs again on each level: the vector code, and the check that it has the level.
const AGAIN: [&str; 4] = [
    "exponential::",
    "products::",
    "simd::",
    "the_level_in_use_is_not_above_the_one_asked_for",
];

#[test]
fn vector_code_is_right_on_every_level() {
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

/// A level that was asked for is in use, or a lower one where the machine has no more.
#[test]
fn the_level_in_use_is_not_above_the_one_asked_for() {
    let wanted = std::env::var("SOFTMARGIN_SIMD").unwrap_or_default();
    for known in [Level::Baseline, Level::Avx2, Level::Avx512] {
        if known.name() == wanted {
            assert!(level() <= known, "{} was asked for", known.name());
        }
    }
}
