//! Fuzzes the check `aix`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("aix", data));
