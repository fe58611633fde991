//! Fuzzes the check `chessbase_files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("chessbase_files", data));
