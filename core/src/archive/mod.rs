//! Reads archives of games in any container and format, as [`GameRecord`]s.
//!
//! Reading has two steps, so that threads can share the work. [`read_blocks`] cuts a file, in order, into [`Block`]s:
//! about 256 KiB of PGN that ends where a game ends, or one whole XQF file. It reports what it cannot read.
//! [`Archived::read_block`] then parses a block, anywhere, into records.
//!
//! | file or folder | step |
//! |---|---|
//! | `input` | paths → streams → blocks |
//! | `text` | encodings and PGN text → text that is cut where games end |
//! | `formats` | block → records, one file or folder a format |
//! | `block` | a piece that holds whole games, and its format |
//! | `record`, `error` | the results of readers |

mod block;
mod error;
mod formats;
mod input;
mod record;
mod text;

#[cfg(test)]
mod tests;

pub use block::{Block, DatabaseGame, Format, ReadOptions, SUFFIXES};
pub use error::ArchiveError;
pub use formats::archived::Archived;
pub use formats::pgn;
pub(crate) use formats::xqf::TEXTS as XQF_TEXTS;
pub use input::container::{Found, detect_game, name_of, read_blocks, read_member};
pub use input::digest::{Digest, Digesting};
pub use input::streams::Watch;
pub(crate) use record::pgn_date;
pub use record::{Defect, GameRecord, Note, NoteKind, Sink, Start, Variation, Wants};
pub use text::cut::{BLOCK_BYTES, MAX_GAME_BYTES};
