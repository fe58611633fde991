//! Laws of whole archives: detection, containers, blocks and reports.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;

use bookbuilder_core::archive::{ArchiveError, Archived, Block, Found, detect_game, read_blocks};
use bookbuilder_core::chess::Chess;
use bookbuilder_core::game::GameId;
use bookbuilder_core::xiangqi::Xiangqi;
use tempfile::TempDir;

use super::formats::places_of;
use super::reading;

/// What compressed data may become.
const MAX_INFLATE: u64 = 1 << 20;

/// Names of files: where the content does not tell what it is, the suffix does.
const NAMES: [&str; 13] = [
    "file", "a.pgn", "a.xqf", "a.tar", "a.mxq", "a.xqn", "a.eglib", "a.epd", "a.htm", "a.zip", "a.7z",
    "a.pgn.gz", "a.txt",
];

/// The folder of the files that are tried.
pub(super) fn room() -> &'static TempDir {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));
    &FOLDER
}

/// A file; the first byte chooses its name. Reading comes to an end, says what is left out, and delivers blocks in order.
pub fn archive_file(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    let path = room().path().join(NAMES[usize::from(*choice) % NAMES.len()]);
    fs::write(&path, bytes).expect("a file in the temporary folder");
    let blocks = read(&path);
    for pair in blocks.windows(2).filter(|pair| pair[0].member == pair[1].member && pair[1].offset > 0) {
        let end = pair[0].offset + pair[0].bytes.len() as u64;
        assert!(pair[1].offset >= end, "blocks overlap at {end}");
    }
    // Without a limit of their own, files of a few bytes may become a GiB; what is found first is the same.
    if let (Some(first), true) = (blocks.first(), bytes.len() < 1 << 10) {
        let game = detect_game(&path, None).expect("a game where a block was found");
        assert_eq!(game, first.format.game());
    }
    blocks.iter().for_each(check_block);
}

/// The three files of a Scid database: index, names and games, divided as in `write_parts`. Reading comes to an end, says
/// what is left out, and delivers records in order.
pub fn scid_files(data: &[u8]) {
    let path = write_parts("scid", ["si4", "sn4", "sg4"], data);
    read(&path).iter().for_each(check_block);
}

/// The six files of a ChessBase database, as `scid_files`.
pub fn chessbase_files(data: &[u8]) {
    let path = write_parts("chessbase", ["cbh", "cbp", "cbt", "cbc", "cba", "cbg"], data);
    read(&path).iter().for_each(check_block);
}

/// Writes the files of a database and returns the first: two bytes each with the sizes of all but the last, then these
/// files, and the rest as the last.
fn write_parts<const N: usize>(name: &str, suffixes: [&str; N], data: &[u8]) -> PathBuf {
    let (sizes, mut rest) = data.split_at((2 * (N - 1)).min(data.len()));
    let mut sizes = sizes.chunks_exact(2).map(|size| usize::from(u16::from_le_bytes([size[0], size[1]])));
    let path = room().path().join(name);
    for suffix in suffixes {
        let (part, behind) = rest.split_at(sizes.next().unwrap_or(rest.len()).min(rest.len()));
        fs::write(path.with_extension(suffix), part).expect("a file in the temporary folder");
        rest = behind;
    }
    path.with_extension(suffixes[0])
}

fn read(path: &Path) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut reports = 0;
    let read = read_blocks(path, Some(MAX_INFLATE), &AtomicU64::new(0), &mut |found| {
        match found {
            Found::Block(block) => blocks.push(block),
            Found::Skipped { reason, .. } => {
                check_error(&reason);
                reports += 1;
            }
        }
        ControlFlow::Continue(())
    });
    match read {
        Err(error) => check_error(&error),
        Ok(()) => assert!(reports > 0 || !blocks.is_empty(), "nothing is read and nothing said"),
    }
    blocks
}

fn check_error(error: &ArchiveError) {
    assert!(!error.code().is_empty() && error.to_string().contains(": "), "{error}");
}

fn check_block(block: &Block) {
    assert!(block.size() > 0);
    let places = places_of(block.format, &block.bytes);
    match block.format.game() {
        GameId::Chess => drop(reading::check_block::<Chess>(block, places)),
        GameId::Xiangqi => drop(reading::check_block::<Xiangqi>(block, places)),
    }
    let chess = <Chess as Archived>::READERS.iter().map(|(format, _)| *format);
    let xiangqi = <Xiangqi as Archived>::READERS.iter().map(|(format, _)| *format);
    assert_eq!(chess.chain(xiangqi).filter(|format| *format == block.format).count(), 1);
}
