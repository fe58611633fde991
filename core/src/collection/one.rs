//! Reads one game from its place in an archive.

use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;

use crate::archive::{ArchiveError, GameRecord, ReadOptions, read_member};
use crate::write::{WriteOptions, Written, write_line, write_pgn};

/// A game of an archive: its players and its date as written, its bytes in the archive, itself as PGN (`None` if its
/// moves cannot be read to the end), and its main line in coordinates, UCI or ICCS.
pub type ArchivedGame = ([String; 3], u64, Option<String>, Vec<String>);

/// Returns the game that begins at `offset` of a member of the archive at `path`, `None` if there is none.
///
/// # Errors
/// As [`read_member`].
pub fn read_game<G: Written>(
    path: &Path,
    member: Option<&str>,
    offset: u64,
    max_inflate: Option<u64>,
) -> Result<Option<ArchivedGame>, ArchiveError> {
    let mut game = None;
    read_member(path, member, offset, max_inflate, &mut |block| {
        if block.format.game() == G::ID {
            G::read_block(&block, &ReadOptions::everything(), &mut |record| {
                if record.offset == offset && game.is_none() {
                    game = Some(of::<G>(record));
                }
            });
        }
        if game.is_some() { Break(()) } else { Continue(()) }
    })?;
    Ok(game)
}

fn of<G: Written>(record: &GameRecord<G::Token>) -> ArchivedGame {
    let (mut pgn, mut line) = (String::new(), String::new());
    let is_whole = record.variant.is_none()
        && G::spelling(None).is_some_and(|spelling| {
            let options = WriteOptions { variations: true, comments: true, strict: false };
            write_pgn(record, spelling, &options, &mut pgn).is_ok()
        })
        && write_line::<G>(record, G::coordinates(), false, &mut line).is_ok();
    let moves = line.rsplit_once("moves").map_or(&*line, |(_, moves)| moves);
    let names = [&record.first_player, &record.second_player, &record.date].map(String::clone);
    let moves = moves.split_whitespace().map(str::to_owned).collect();
    (names, record.length, is_whole.then_some(pgn), moves)
}
