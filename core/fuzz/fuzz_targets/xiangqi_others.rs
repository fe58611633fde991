//! Fuzzes the check `xiangqi_others`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("xiangqi_others", data));
