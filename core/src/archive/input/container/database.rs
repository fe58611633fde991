//! Reads databases whose files lie beside each other.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use super::super::chessbase::{self, Database};
use super::{Found, Place, STOP, Step, Walk};
use crate::archive::{ArchiveError, Block, Format};

impl Walk<'_> {
    /// Reads a database, of which `games` is the main file.
    pub(super) fn chessbase(&mut self, path: &Path, place: &Place, games: impl Read) -> Step {
        let mut reasons = Vec::new();
        let mut database = Database::open(path, &mut |reason| reasons.push(reason))?;
        for reason in reasons {
            if self.report(place, Err(reason)).is_break() {
                return STOP;
            }
        }
        let (mut step, mut is_empty) = (ControlFlow::Continue(()), true);
        let cut = chessbase::cut(games, &mut database, &mut |offset, bytes| {
            is_empty = false;
            let (member, format) = (place.member.clone(), Format::Cbh);
            step = (self.emit)(Found::Block(Block { member, format, offset, line: 0, bytes }));
            step
        });
        match cut {
            Ok(Some(offset)) => {
                Err(ArchiveError::Truncated { place: place.to_string(), layer: "ChessBase", offset })
            }
            Ok(None) if is_empty => Err(ArchiveError::Empty { place: place.to_string() }),
            Ok(None) => Ok(step),
            Err(error) => Err(ArchiveError::from_read(place.to_string(), 0, error)),
        }
    }
}
