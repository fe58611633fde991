//! The files of a Scid database: index, names and games.

use std::io;
use std::path::Path;

use super::{Database, Parts, open_sibling, read_names};
use crate::archive::block::DatabaseGame;
use crate::archive::error::LayerError;
use crate::archive::formats::scid::{
    HEAD_BYTES, Names, RECORD_BYTES, References, VERSION, games_of, version_of,
};
use crate::archive::{ArchiveError, Defect, Format};

/// The files next to the `.si4` file.
pub(in crate::archive::input) struct Scid {
    games: Parts,
    names: Names,
    /// Bytes of games that may still be read. Records may name the same bytes again and again, which would take hours.
    left: u64,
}

impl Scid {
    /// Returns whether a file begins like an index: what is wrong with it if it cannot be read.
    pub(in crate::archive::input) fn is_index(head: &[u8]) -> Option<Result<(), &'static str>> {
        let found =
            "a Scid database of another version; open it in Scid 4 or later, and export its games as PGN";
        version_of(head).map(|version| if matches!(version, 0 | VERSION) { Ok(()) } else { Err(found) })
    }

    /// Returns what a file is by its suffix and its first bytes, if it is a file of a Scid database without games to read.
    pub(in crate::archive::input) fn describe(head: &[u8], suffix: &str) -> Option<&'static str> {
        match suffix {
            part if Names::is_names(head) || Scid::is_part(part) => {
                Some("a part of a Scid database; keep its three files in one folder, and name the .si4 file")
            }
            "si4" => Some("no Scid database (its .si4 file begins with the bytes \"Scid.si\")"),
            "si5" | "sn5" | "sg5" => {
                Some("a Scid database in the format si5, which is not read; export its games in Scid as PGN")
            }
            "si3" | "sn3" | "sg3" => {
                Some("a database of Scid 3; open it in Scid, and export its games as PGN")
            }
            _ => None,
        }
    }
}

impl Database for Scid {
    const FORMAT: Format = Format::Si4;
    const LAYER: &'static str = "Scid";
    const MAIN: &'static str = "si4";
    /// Games, names, and the cache of a tree.
    const PARTS: &'static [&'static str] = &["sg4", "sn4", "stc"];
    const IN_A_CONTAINER: &'static str =
        "a Scid database in a container; unpack its three files into one folder, and name the .si4 file";
    const HEAD_BYTES: usize = HEAD_BYTES;
    const RECORD_BYTES: usize = RECORD_BYTES;

    fn open(path: &Path, report: &mut dyn FnMut(ArchiveError)) -> Result<Scid, ArchiveError> {
        let (_, games) = open_sibling(path, "sg4")?;
        let names = match read_names(path, "sn4") {
            Err(error) => {
                report(error);
                Names::default()
            }
            Ok((path, bytes)) => {
                let (names, defect) = Names::parse(&bytes);
                if let Some(defect) = defect {
                    let (place, layer) = (path.display().to_string(), Self::LAYER);
                    let (offset, message) = (defect.offset, defect.message);
                    report(ArchiveError::Damaged(place, layer, offset, message));
                }
                names
            }
        };
        let left = games.metadata().map_or(0, |metadata| metadata.len()).saturating_mul(2);
        Ok(Scid { games: Parts::new(games), names, left })
    }

    fn game(&mut self, record: &[u8], offset: u64) -> io::Result<DatabaseGame> {
        let References { names, game, length, is_game } = References::of(record);
        let mut moves = Ok(Vec::new());
        if is_game {
            let mut bytes = Vec::new();
            self.games.seek(game)?;
            let is_whole = self.games.read(length as usize, &mut bytes)?;
            let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
                let error = io::Error::other("its records name more than twice the bytes of the .sg4 file");
                return Err(LayerError::wrap("Scid", error));
            };
            self.left = left;
            let message = format!("expected the game at byte {game} of the .sg4 file, which ends before");
            moves = if is_whole { Ok(bytes) } else { Err(Defect::new("truncated", offset, message)) };
        }
        let names = self.names.of_game(names);
        Ok(DatabaseGame { record: record.to_vec(), names, moves, annotations: Vec::new() })
    }

    fn count(head: &[u8]) -> Option<(u32, u64)> {
        Some(games_of(head))
    }
}
