//! Fuzzes the check `scid`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("scid", data));
