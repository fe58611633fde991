//! The files of a ChessBase database: games, moves, annotations and names.

use std::io;
use std::ops::Range;
use std::path::Path;

use super::{Database, Parts, open_sibling, read_names};
use crate::archive::block::DatabaseGame;
use crate::archive::formats::chessbase::{
    ANNOTATOR_BYTES, MAX_PART_BYTES, PLAYER_BYTES, RECORD_BYTES, References, TOURNAMENT_BYTES,
};
use crate::archive::formats::cursor::big_endian;
use crate::archive::{ArchiveError, Defect, Format};

/// The files next to the `.cbh` file.
pub(in crate::archive::input) struct ChessBase {
    moves: Parts,
    annotations: Option<Parts>,
    players: Names,
    tournaments: Names,
    annotators: Names,
}

impl Database for ChessBase {
    const FORMAT: Format = Format::Cbh;
    const LAYER: &'static str = "ChessBase";
    const MAIN: &'static str = "cbh";
    const PARTS: &'static [&'static str] = &[
        "cba", "cbb", "cbc", "cbd", "cbe", "cbg", "cbgi", "cbj", "cbl", "cbm", "cbp", "cbs", "cbt", "cbtt",
        "cib", "cit", "cko", "ckn", "cpo", "flags", "ini",
    ];
    const IN_A_CONTAINER: &'static str =
        "a ChessBase database in a container; unpack all its files into one folder, and name the .cbh file";
    const HEAD_BYTES: usize = RECORD_BYTES;
    const RECORD_BYTES: usize = RECORD_BYTES;

    fn open(path: &Path, report: &mut dyn FnMut(ArchiveError)) -> Result<ChessBase, ArchiveError> {
        let mut names = |suffix, size| {
            Names::read(path, suffix, size).unwrap_or_else(|error| {
                report(error);
                Names::default()
            })
        };
        let players = names("cbp", PLAYER_BYTES);
        let tournaments = names("cbt", TOURNAMENT_BYTES);
        let annotators = names("cbc", ANNOTATOR_BYTES);
        let annotations = match open_sibling(path, "cba") {
            Ok((_, file)) => Some(Parts::new(file)),
            Err(error) => {
                report(error);
                None
            }
        };
        let (_, moves) = open_sibling(path, "cbg")?;
        Ok(ChessBase { moves: Parts::new(moves), annotations, players, tournaments, annotators })
    }

    fn game(&mut self, record: &[u8], offset: u64) -> io::Result<DatabaseGame> {
        let References { names, moves, annotations, is_game } = References::of(record);
        let lists = [&self.players, &self.players, &self.tournaments, &self.annotators];
        let names = lists.iter().zip(names).map(|(list, number)| list.get(number).to_vec()).collect();
        // A byte of flags, and three of the size; annotations have their size at byte 10.
        let moves = if is_game { part(&mut self.moves, moves, 1..4, offset)? } else { Ok(Vec::new()) };
        let annotations = match &mut self.annotations {
            Some(parts) if is_game && annotations != 0 => part(parts, annotations, 10..14, offset)?,
            _ => Ok(Vec::new()),
        };
        // Damaged annotations cost no game.
        let annotations = annotations.unwrap_or_default();
        Ok(DatabaseGame { record: record.to_vec(), names, moves, annotations })
    }
}

/// Reads the part of a game at a place, whose head ends with the bytes of the whole part. `offset` is the record's.
fn part(
    parts: &mut Parts,
    place: u32,
    size: Range<usize>,
    offset: u64,
) -> io::Result<Result<Vec<u8>, Defect>> {
    let (head_bytes, mut bytes) = (size.end, Vec::new());
    let mut is_whole = parts.seek(place).and_then(|()| parts.read(head_bytes, &mut bytes))?;
    if is_whole {
        let size = big_endian(&bytes[size]) as usize;
        if size > MAX_PART_BYTES {
            let message = format!("expected moves of at most {MAX_PART_BYTES} bytes");
            return Ok(Err(Defect::new("too-large", offset, message)));
        }
        is_whole = parts.read(size.saturating_sub(head_bytes), &mut bytes)?;
    }
    let message = format!("expected moves at byte {place} of their file, which ends before");
    Ok(if is_whole { Ok(bytes) } else { Err(Defect::new("truncated", offset, message)) })
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

    /// Reads a file. The first `size` bytes of a record are the name.
    fn read(path: &Path, suffix: &str, size: usize) -> Result<Names, ArchiveError> {
        let (path, bytes) = read_names(path, suffix)?;
        let number = |at: usize| {
            let field = bytes.get(at..at + 4).and_then(|field| field.try_into().ok());
            field.map_or(0, u32::from_le_bytes) as usize
        };
        let (record, more) = (number(12), number(24));
        if !(size..=4096).contains(&record) || more > 1024 {
            let message = format!("expected names of {size} bytes or more, found {record}");
            let place = path.display().to_string();
            return Err(ArchiveError::Damaged(place, "ChessBase", 12, message));
        }
        let (head_bytes, node_bytes) = (Names::HEAD_BYTES + more, Names::LINKS_BYTES + record);
        Ok(Names { bytes, head_bytes, node_bytes, size })
    }

    fn get(&self, number: u32) -> &[u8] {
        let start = self.head_bytes + number as usize * self.node_bytes + Names::LINKS_BYTES;
        self.bytes.get(start..start + self.size).unwrap_or_default()
    }
}
