//! Fuzzes the check `aix_files`.
#![no_main]

// The reader catches panics of the Parquet library; all others still end the fuzzer.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| {})),
    |data: &[u8]| bookbuilder_fuzz::run("aix_files", data)
);
