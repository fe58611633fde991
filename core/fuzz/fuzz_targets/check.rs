//! Fuzzes the check that the target is named after.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run(env!("CARGO_BIN_NAME"), data));
