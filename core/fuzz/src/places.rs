//! Lines of the places that libFuzzer knows. It asks a sanitizer for them, but the targets run without one.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;

/// What stands for a place outside the core.
const ELSEWHERE: &str = " -";

/// Writes the file and line of a place in the core, as ` src/chess/fen.rs:12`; of inlined code, those of the innermost
/// function of the core.
///
/// # Safety
/// `out` has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_symbolize_pc(
    place: *mut c_void,
    _format: *const c_char,
    out: *mut c_char,
    size: usize,
) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut name = None;
    backtrace::resolve(place, |symbol| {
        let file = symbol.filename().zip(fuzz.parent());
        let below = file.and_then(|(file, core)| file.strip_prefix(core).ok());
        if let (None, Some(below), Some(line)) = (&name, below, symbol.lineno()) {
            name = Some(format!(" {}:{line}", below.display()));
        }
    });
    // SAFETY: the caller promises it.
    unsafe { write(name.as_deref().unwrap_or(ELSEWHERE), out, size) };
}

/// Says that every place is in one module, at its own address.
///
/// # Safety
/// `module` has room for `size` bytes, and `offset` for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_get_module_and_offset_for_pc(
    place: *mut c_void,
    module: *mut c_char,
    size: usize,
    offset: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller promises it.
    unsafe {
        write("a target", module, size);
        *offset = place;
    }
    1
}

/// Writes a text that ends with a NUL, cut to the room that there is.
///
/// # Safety
/// `out` has room for `size` bytes.
unsafe fn write(text: &str, out: *mut c_char, size: usize) {
    let Some(room) = size.checked_sub(1) else { return };
    let bytes = &text.as_bytes()[..text.len().min(room)];
    // SAFETY: `bytes` and the NUL have `size` bytes at most.
    unsafe {
        out.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        *out.add(bytes.len()) = 0;
    }
}
