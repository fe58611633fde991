//! Properties that must hold for any input: one check for each fuzz target, which panics if a law is broken.
//!
//! | file | laws |
//! |---|---|
//! | `reading` | of the records that a reader makes of a block, whatever its options |
//! | `formats` | of the formats, one by one: which bytes go to which reader |
//! | `files` | of whole archives: detection, containers, compressions |
//! | `texts` | of move texts and FENs |
//! | `conversion` | of games that are written and read back |
//! | `stored` | of our own files: books and endgame tables |
//! | `dialogue` | of lines to the engine |
//!
//! The crate's fuzz targets run the checks under libFuzzer; `core/tests/seeds.rs` takes this file in by its path and
//! runs them over the seeds.

mod conversion;
mod dialogue;
mod files;
mod formats;
mod reading;
mod stored;
mod texts;

/// Takes any bytes; panics where a law is broken.
type Check = fn(&[u8]);

/// The checks, by the name of their fuzz target.
pub const TARGETS: [(&str, Check); 17] = [
    ("pgn", formats::pgn),
    ("pgn_xiangqi", formats::pgn_xiangqi),
    ("chessbase", formats::chessbase),
    ("chessbase_files", files::chessbase_files),
    ("scid", formats::scid),
    ("scid_files", files::scid_files),
    ("xqf", formats::xqf),
    ("ccbridge", formats::ccbridge),
    ("xiangqi_others", formats::xiangqi_others),
    ("archive_file", files::archive_file),
    ("notations", texts::notations),
    ("fen", texts::fen),
    ("convert", conversion::convert),
    ("repeated", formats::repeated),
    ("book", stored::book),
    ("endgame_table", stored::endgame_table),
    ("dialogue", dialogue::dialogue),
];

/// Runs the check of a fuzz target.
///
/// # Panics
/// Where a law is broken, or there is no such target.
pub fn run(target: &str, data: &[u8]) {
    let found = TARGETS.iter().find(|(name, _)| *name == target);
    let (_, check) = found.unwrap_or_else(|| panic!("no fuzz target is named {target}"));
    check(data);
}
