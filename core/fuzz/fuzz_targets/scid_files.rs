//! Fuzzes the check `scid_files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("scid_files", data));
