//! Fuzzes the check `run_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("run_file", data));
