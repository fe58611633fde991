//! Reads Scid databases: three files next to each other → blocks of games.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use super::sisters::{is_next_to, open_sister, read_names, read_record};
use crate::archive::ArchiveError;
use crate::archive::error::LayerError;
use crate::archive::formats::scid::{
    HEAD_BYTES, Names, RECORD_BYTES, References, VERSION, games_of, pack, version_of,
};
use crate::archive::text::cut::BLOCK_BYTES;

/// Suffixes of the files of a database besides `.si4`: games, names, and the cache of a tree.
const PARTS: [&str; 3] = ["sg4", "sn4", "stc"];

/// Returns whether a suffix is that of a part of a database that has no games by itself.
pub(super) fn is_part(suffix: &str) -> bool {
    PARTS.contains(&suffix)
}

/// Returns whether a file belongs to a database whose `.si4` file lies next to it.
pub(super) fn belongs_to_database(path: &Path) -> bool {
    is_next_to(path, is_part, "si4")
}

/// Returns whether a file begins as an index does: what is wrong with it if it cannot be read.
pub(super) fn is_index(head: &[u8]) -> Option<Result<(), &'static str>> {
    let found = "a Scid database of another version; open it in Scid 4 or later, and export its games as PGN";
    version_of(head).map(|version| if matches!(version, 0 | VERSION) { Ok(()) } else { Err(found) })
}

/// Returns what a file is by its suffix and its first bytes, if it is a file of a Scid database without games to read.
pub(super) fn describe(head: &[u8], suffix: &str) -> Option<&'static str> {
    match suffix {
        _ if Names::is_names(head) => Some(PART),
        part if is_part(part) => Some(PART),
        "si4" => Some("no Scid database (its .si4 file begins with the bytes \"Scid.si\")"),
        "si5" | "sn5" | "sg5" => {
            Some("a Scid database in the format si5, which is not read; export its games in Scid as PGN")
        }
        "si3" | "sn3" | "sg3" => Some("a database of Scid 3; open it in Scid, and export its games as PGN"),
        _ => None,
    }
}

const PART: &str = "a part of a Scid database; keep its three files in one folder, and name the .si4 file";

/// What is said of a database without the files that should lie next to it.
pub(super) const IN_A_CONTAINER: &str =
    "a Scid database in a container; unpack its three files into one folder, and name the .si4 file";

/// The files next to the `.si4` file.
pub(super) struct Database {
    games: Games,
    names: Names,
}

/// Why an index ends otherwise than it should.
pub(super) enum Ending {
    /// In the middle of its head or of a record, at this offset.
    Truncated(u64),
    /// With another number of games than its head says.
    Count { said: u32, found: u32 },
}

impl Database {
    /// Opens the files next to `path`. Without games there is no database; `report` gets what is wrong with the names.
    pub(super) fn open(path: &Path, report: &mut dyn FnMut(ArchiveError)) -> Result<Database, ArchiveError> {
        let (_, games) = open_sister(path, "sg4")?;
        let bytes = open_sister(path, "sn4").and_then(|(path, file)| Ok((read_names(&path, file)?, path)));
        let names = match bytes {
            Err(error) => {
                report(error);
                Names::default()
            }
            Ok((bytes, path)) => {
                let (names, defect) = Names::parse(&bytes);
                if let Some(defect) = defect {
                    let (place, layer) = (path.display().to_string(), "Scid");
                    let (offset, message) = (defect.offset, defect.message);
                    report(ArchiveError::Damaged { place, layer, offset, message });
                }
                names
            }
        };
        Ok(Database { games: Games::new(games), names })
    }

    /// Appends a game to a block, by its record.
    fn pack(&mut self, record: &[u8; RECORD_BYTES], block: &mut Vec<u8>) -> io::Result<()> {
        let References { names, game, length, is_game } = References::of(record);
        let game = if is_game { self.games.read(game, length)? } else { Some(&[][..]) };
        pack(record, self.names.of_game(names), game, block);
        Ok(())
    }
}

/// Hands over the games of a database in blocks; returns how the index ends, if it ends otherwise than it should.
///
/// # Errors
/// Where a file cannot be read.
pub(super) fn cut(
    index: impl Read,
    database: &mut Database,
    emit: &mut dyn FnMut(u64, Vec<u8>) -> ControlFlow<()>,
) -> io::Result<Option<Ending>> {
    let mut index = BufReader::new(index);
    let mut head = [0; HEAD_BYTES];
    if read_record(&mut index, &mut head)? < HEAD_BYTES {
        return Ok(Some(Ending::Truncated(0)));
    }
    let (said, mut found) = (games_of(&head), 0);
    let (mut start, mut block) = (HEAD_BYTES as u64, Vec::new());
    let mut offset = start;
    let mut record = [0; RECORD_BYTES];
    let ending = loop {
        match read_record(&mut index, &mut record)? {
            RECORD_BYTES => database.pack(&record, &mut block)?,
            0 => break (said != found).then_some(Ending::Count { said, found }),
            _ => break Some(Ending::Truncated(offset)),
        }
        offset += RECORD_BYTES as u64;
        found += 1;
        if block.len() >= BLOCK_BYTES {
            if emit(start, std::mem::take(&mut block)).is_break() {
                return Ok(None);
            }
            start = offset;
        }
    };
    if !block.is_empty() && emit(start, block).is_break() {
        return Ok(None);
    }
    Ok(ending)
}

/// The file of games.
struct Games {
    file: BufReader<File>,
    place: u64,
    bytes: Vec<u8>,
    /// Bytes that may still be read. Records may name the same bytes again and again, which would take hours.
    left: u64,
}

impl Games {
    fn new(file: File) -> Games {
        let left = file.metadata().map_or(0, |metadata| metadata.len()).saturating_mul(2);
        Games { file: BufReader::with_capacity(BLOCK_BYTES, file), place: 0, bytes: Vec::new(), left }
    }

    /// Reads a game; `None` if the file ends before it.
    fn read(&mut self, place: u32, length: u32) -> io::Result<Option<&[u8]>> {
        // Games mostly follow each other: what is in the buffer is not read again.
        let place = u64::from(place);
        self.file.seek_relative(place as i64 - self.place as i64)?;
        self.bytes.clear();
        let read = self.file.by_ref().take(u64::from(length)).read_to_end(&mut self.bytes)?;
        self.place = place + read as u64;
        let Some(left) = self.left.checked_sub(read as u64) else {
            let error = io::Error::other("its records name more than twice the bytes of the .sg4 file");
            return Err(LayerError::wrap("Scid", error));
        };
        self.left = left;
        Ok((read == length as usize).then_some(&self.bytes))
    }
}
