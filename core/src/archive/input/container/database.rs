//! Reads databases whose files lie next to each other.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use super::super::{chessbase, scid};
use super::{Found, Place, STOP, Step, Walk};
use crate::archive::{ArchiveError, Block, Format};

/// Takes the bytes of a block and the offset of its first game.
type Emit<'a> = &'a mut dyn FnMut(u64, Vec<u8>) -> ControlFlow<()>;

impl Walk<'_> {
    /// Reads a ChessBase database, of which `games` is the main file.
    pub(super) fn chessbase(&mut self, path: &Path, place: &Place, games: impl Read) -> Step {
        let mut reasons = Vec::new();
        let mut database = chessbase::Database::open(path, &mut |reason| reasons.push(reason))?;
        self.database(place, Format::Cbh, reasons, |emit| {
            let truncated =
                |offset| ArchiveError::Truncated { place: place.to_string(), layer: "ChessBase", offset };
            chessbase::cut(games, &mut database, emit).map(|end| end.map(truncated))
        })
    }

    /// Reads a Scid database, of which `index` is the main file.
    pub(super) fn scid(&mut self, path: &Path, place: &Place, index: impl Read) -> Step {
        let mut reasons = Vec::new();
        let mut database = scid::Database::open(path, &mut |reason| reasons.push(reason))?;
        self.database(place, Format::Si4, reasons, |emit| {
            let (place, layer) = (place.to_string(), "Scid");
            let ending = scid::cut(index, &mut database, emit)?;
            Ok(ending.map(|ending| match ending {
                scid::Ending::Truncated(offset) => ArchiveError::Truncated { place, layer, offset },
                scid::Ending::Count { said, found } => {
                    let message = format!("the head of the file says {said} games, the file has {found}");
                    ArchiveError::Damaged { place, layer, offset: 14, message }
                }
            }))
        })
    }

    /// Reports what is wrong with the files of a database, then hands over its games, then reports how it ends.
    fn database(
        &mut self,
        place: &Place,
        format: Format,
        reasons: Vec<ArchiveError>,
        cut: impl FnOnce(Emit<'_>) -> io::Result<Option<ArchiveError>>,
    ) -> Step {
        for reason in reasons {
            if self.report(place, Err(reason)).is_break() {
                return STOP;
            }
        }
        let (mut step, mut is_empty) = (ControlFlow::Continue(()), true);
        let ending = cut(&mut |offset, bytes| {
            is_empty = false;
            let member = place.member.clone();
            step = (self.emit)(Found::Block(Block { member, format, offset, line: 0, bytes }));
            step
        });
        match ending {
            Ok(Some(ending)) => Err(ending),
            Ok(None) if is_empty => Err(ArchiveError::Empty { place: place.to_string() }),
            Ok(None) => Ok(step),
            Err(error) => Err(ArchiveError::from_read(place.to_string(), 0, error)),
        }
    }
}
