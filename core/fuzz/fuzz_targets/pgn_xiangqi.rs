//! Fuzzes the check `pgn_xiangqi`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| bookbuilder_fuzz::run("pgn_xiangqi", data));
