//! Fuzzes the check `endgame_table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("endgame_table", data));
