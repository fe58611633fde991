//! Laws of the readers, one target per format.

use bookbuilder_core::archive::{Archived, Block, DatabaseGame, Format, ReadOptions};
use bookbuilder_core::chess::Chess;
use bookbuilder_core::xiangqi::Xiangqi;

use super::reading::{self, Places};

/// Bytes of a block that repeats its text: enough that a reader whose time grows with the square takes seconds.
const REPEATED_BYTES: usize = 512 << 10;

/// Games of chess in PGN.
pub fn pgn(data: &[u8]) {
    reading::check::<Chess>(Format::Pgn, data, Places::InBlock);
}

/// Games of xiangqi in PGN, in any encoding.
pub fn pgn_xiangqi(data: &[u8]) {
    reading::check::<Xiangqi>(Format::XiangqiPgn, data, Places::InBlock);
}

/// One XQF file.
pub fn xqf(data: &[u8]) {
    reading::check::<Xiangqi>(Format::Xqf, data, Places::InBlock);
}

/// A game of a ChessBase database: its record, two bytes with the size of its moves, its moves, then annotations.
pub fn chessbase(data: &[u8]) {
    const RECORD_BYTES: usize = 46;
    let Some((record, [low, high, rest @ ..])) = data.split_at_checked(RECORD_BYTES) else { return };
    let size = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
    let (moves, annotations) = rest.split_at(size);
    // Two players, a tournament and an annotator.
    let names = [50, 50, 70, 45].map(|size| vec![b'n'; size]);
    database_game(Format::Cbh, record, &names.each_ref().map(Vec::as_slice), moves, annotations);
}

/// A game of a Scid database: its record, then its bytes in the file of games.
pub fn scid(data: &[u8]) {
    const RECORD_BYTES: usize = 47;
    let Some((record, game)) = data.split_at_checked(RECORD_BYTES) else { return };
    database_game(Format::Si4, record, &[b"W", b"B", b"E", b"S", b"R"], game, &[]);
}

fn database_game(format: Format, record: &[u8], names: &[&[u8]], moves: &[u8], annotations: &[u8]) {
    let names = names.iter().map(|name| name.to_vec()).collect();
    let (record, moves, annotations) = (record.to_vec(), Ok(moves.to_vec()), annotations.to_vec());
    let games = vec![DatabaseGame { record, names, moves, annotations }];
    let block = Block { games, ..reading::block(format, &[]) };
    reading::check_block::<Chess>(&block, Places::InContent);
}

/// The formats of CCBridge; the first byte chooses. An old library tells places of its decompressed content.
pub fn ccbridge(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    let format = [Format::Cbr, Format::Cbl, Format::Cbf][usize::from(*choice) % 3];
    reading::check::<Xiangqi>(format, bytes, places_of(format, bytes));
}

/// Formats of servers, pages and texts; the first byte chooses.
pub fn xiangqi_others(data: &[u8]) {
    const FORMATS: [Format; 5] =
        [Format::Mxq, Format::DhtmlXq, Format::Xqn, Format::CoordinateText, Format::PositionList];
    let Some((choice, bytes)) = data.split_first() else { return };
    let format = FORMATS[usize::from(*choice) % FORMATS.len()];
    reading::check::<Xiangqi>(format, bytes, Places::InBlock);
}

/// A head, a piece of text many times and a tail, in any format: the time it takes is the law, which libFuzzer's
/// `-timeout` holds. Three bytes choose the format and tell the lengths of head and piece.
pub fn repeated(data: &[u8]) {
    let [choice, head, piece, text @ ..] = data else { return };
    let (head, rest) = text.split_at(usize::from(*head).min(text.len()));
    let (piece, tail) = rest.split_at(usize::from(*piece).min(rest.len()));
    if piece.is_empty() {
        return;
    }
    let bytes = [head, &piece.repeat(REPEATED_BYTES / piece.len()), tail].concat();
    let format = format_of(*choice);
    let block = reading::block(format, &bytes);
    let prefix = ReadOptions { max_ply: Some(4), ..ReadOptions::default() };
    for options in [ReadOptions::everything(), prefix] {
        match format {
            Format::Pgn => Chess::read_block(&block, &options, &mut |_| {}),
            _ => Xiangqi::read_block(&block, &options, &mut |_| {}),
        }
    }
}

/// Returns the format that a byte chooses.
pub fn format_of(choice: u8) -> Format {
    let of_xiangqi = <Xiangqi as Archived>::READERS;
    // Half of all choices are PGN, where most can go wrong.
    match usize::from(choice) % (2 * of_xiangqi.len()) {
        index if index < of_xiangqi.len() => of_xiangqi[index].0,
        _ => Format::Pgn,
    }
}

/// Returns what places of a block mean.
pub fn places_of(format: Format, bytes: &[u8]) -> Places {
    match format {
        Format::Cbh | Format::Si4 => Places::InContent,
        Format::Cbl if bytes.starts_with(b"CCBridge\x15") => Places::InContent,
        _ => Places::InBlock,
    }
}
