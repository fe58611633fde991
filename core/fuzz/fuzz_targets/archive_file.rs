//! Fuzzes the check `archive_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("archive_file", data));
