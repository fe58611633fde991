//! Reads ChessBase databases: several files beside each other → blocks of games.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::sisters::{is_next_to, open_sister, read_names, read_record};
use crate::archive::ArchiveError;
use crate::archive::formats::chessbase::{Missing, RECORD_BYTES, References, Sizes, pack};
use crate::archive::text::cut::BLOCK_BYTES;

/// Suffixes of the files of a database besides `.cbh`.
const PARTS: [&str; 21] = [
    "cba", "cbb", "cbc", "cbd", "cbe", "cbg", "cbgi", "cbj", "cbl", "cbm", "cbp", "cbs", "cbt", "cbtt",
    "cib", "cit", "cko", "ckn", "cpo", "flags", "ini",
];

/// Returns whether a suffix is that of a part of a database that has no games by itself.
pub(super) fn is_part(suffix: &str) -> bool {
    PARTS.contains(&suffix)
}

/// Returns whether a file belongs to a database whose `.cbh` file lies next to it.
pub(super) fn belongs_to_database(path: &Path) -> bool {
    is_next_to(path, is_part, "cbh")
}

/// What is said of a database without the files that should lie next to it.
pub(super) const IN_A_CONTAINER: &str =
    "a ChessBase database in a container; unpack all its files into one folder, and name the .cbh file";

/// The files beside the `.cbh` file.
pub(super) struct Database {
    moves: Parts,
    annotations: Option<Parts>,
    players: Names,
    tournaments: Names,
    annotators: Names,
}

impl Database {
    /// Opens the files beside `path`. Without moves there is no database; `report` is told what else is missing or
    /// damaged.
    pub(super) fn open(path: &Path, report: &mut dyn FnMut(ArchiveError)) -> Result<Database, ArchiveError> {
        let mut names = |suffix, size| {
            open_sister(path, suffix).and_then(|(path, file)| Names::read(&path, file, size)).unwrap_or_else(
                |error| {
                    report(error);
                    Names::default()
                },
            )
        };
        let players = names("cbp", Sizes::PLAYER);
        let tournaments = names("cbt", Sizes::TOURNAMENT);
        let annotators = names("cbc", Sizes::ANNOTATOR);
        let annotations = match open_sister(path, "cba") {
            Ok((_, file)) => Some(Parts::new(file, 14, size_of_annotations)),
            Err(error) => {
                report(error);
                None
            }
        };
        let (_, moves) = open_sister(path, "cbg")?;
        let moves = Parts::new(moves, 4, size_of_moves);
        Ok(Database { moves, annotations, players, tournaments, annotators })
    }

    /// Appends a game to a block, by its record.
    pub(super) fn pack(&mut self, record: &[u8; RECORD_BYTES], block: &mut Vec<u8>) -> io::Result<()> {
        let References { white, black, tournament, annotator, moves, annotations, is_game } =
            References::of(record);
        let names = [
            self.players.get(white),
            self.players.get(black),
            self.tournaments.get(tournament),
            self.annotators.get(annotator),
        ];
        let moves = if is_game { self.moves.read(moves)? } else { Ok(&[][..]) };
        let annotations = match &mut self.annotations {
            Some(parts) if is_game && annotations != 0 => parts.read(annotations)?,
            _ => Ok(&[][..]),
        };
        pack(record, names, [moves, annotations], block);
        Ok(())
    }
}

/// Hands over the games of a database in blocks; returns the offset of a record that is cut off, if one is.
///
/// # Errors
/// Where a file cannot be read.
pub(super) fn cut(
    games: impl Read,
    database: &mut Database,
    emit: &mut dyn FnMut(u64, Vec<u8>) -> std::ops::ControlFlow<()>,
) -> io::Result<Option<u64>> {
    let mut games = BufReader::new(games);
    let (mut offset, mut start, mut block) = (0, RECORD_BYTES as u64, Vec::new());
    let mut record = [0; RECORD_BYTES];
    let rest = loop {
        match read_record(&mut games, &mut record)? {
            RECORD_BYTES if offset > 0 => database.pack(&record, &mut block)?,
            // The head of the file.
            RECORD_BYTES => {}
            0 => break None,
            _ => break Some(offset),
        }
        offset += RECORD_BYTES as u64;
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
    Ok(rest)
}

/// A file with a part for each game, which begins with its size.
struct Parts {
    file: BufReader<File>,
    place: u64,
    head_bytes: usize,
    size_of: fn(&[u8]) -> usize,
    bytes: Vec<u8>,
}

impl Parts {
    fn new(file: File, head_bytes: usize, size_of: fn(&[u8]) -> usize) -> Parts {
        Parts {
            file: BufReader::with_capacity(BLOCK_BYTES, file),
            place: 0,
            head_bytes,
            size_of,
            bytes: Vec::new(),
        }
    }

    /// Reads the part at a place.
    fn read(&mut self, place: u32) -> io::Result<Result<&[u8], Missing>> {
        // Games mostly follow each other: what is in the buffer is not read again.
        let place = u64::from(place);
        self.file.seek_relative(place as i64 - self.place as i64)?;
        self.place = place;
        self.bytes.clear();
        if !self.fill(self.head_bytes)? {
            return Ok(Err(Missing::Truncated));
        }
        let size = (self.size_of)(&self.bytes);
        if size > Sizes::MAX_PART {
            return Ok(Err(Missing::TooLarge));
        }
        if size > self.head_bytes && !self.fill(size - self.head_bytes)? {
            return Ok(Err(Missing::Truncated));
        }
        Ok(Ok(&self.bytes))
    }

    /// Reads more bytes; returns whether they are there.
    fn fill(&mut self, count: usize) -> io::Result<bool> {
        let read = self.file.by_ref().take(count as u64).read_to_end(&mut self.bytes)?;
        self.place += read as u64;
        Ok(read == count)
    }
}

/// Returns the bytes of a game's moves, its head included: a byte of flags, and three of the size.
fn size_of_moves(head: &[u8]) -> usize {
    head.get(1..4).map_or(0, |size| size.iter().fold(0, |size, &byte| size << 8 | usize::from(byte)))
}

/// Returns the bytes of a game's annotations, their head included.
fn size_of_annotations(head: &[u8]) -> usize {
    head.get(10..14).map_or(0, |size| size.iter().fold(0, |size, &byte| size << 8 | usize::from(byte)))
}

/// A file of names: a head of 28 bytes or more, and nodes of a tree of nine bytes and a record each.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    head_bytes: usize,
    node_bytes: usize,
    size: usize,
}

impl Names {
    const HEAD_BYTES: usize = 28;
    const LINKS_BYTES: usize = 9;

    /// Reads a file whole. The first `size` bytes of a record are the name.
    fn read(path: &Path, file: File, size: usize) -> Result<Names, ArchiveError> {
        let bytes = read_names(path, file)?;
        let number = |at: usize| {
            let field = bytes.get(at..at + 4).and_then(|field| field.try_into().ok());
            field.map_or(0, u32::from_le_bytes) as usize
        };
        let (record, more) = (number(12), number(24));
        if !(size..=4096).contains(&record) || more > 1024 {
            let message = format!("expected names of {size} bytes or more, found {record}");
            let place = path.display().to_string();
            return Err(ArchiveError::Damaged { place, layer: "ChessBase", offset: 12, message });
        }
        let (head_bytes, node_bytes) = (Names::HEAD_BYTES + more, Names::LINKS_BYTES + record);
        Ok(Names { bytes, head_bytes, node_bytes, size })
    }

    /// Returns a name by its number; empty if there is none.
    fn get(&self, number: u32) -> &[u8] {
        let start = self.head_bytes + number as usize * self.node_bytes + Names::LINKS_BYTES;
        self.bytes.get(start..start + self.size).unwrap_or_default()
    }
}
