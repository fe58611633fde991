//! Reads and writes FEN. A text is refused for its first flaw.
//!
//! `rnbakabnr/…/RNBAKABNR w - - 0 1`: ranks 9 to 0, red in upper case, side to move, two empty fields, half-move clock,
//! move number. Accepted variants: `H` for `N` and `E` for `B`, `r` for `w`, missing trailing
//! fields, the side letter glued to the board (`…5K3w`), an empty pocket `[]` after the board. A position does not hold
//! the counters: they are checked, dropped, and written as `0 1`.

use super::attacks::{advisor_points, elephant_points, home, palace};
use super::bitboard::Bitboard;
use super::board::Board;
use super::piece::{Kind, side_name};
use super::square::{FILES, RANKS, Square};
use crate::game::Side;

/// The FEN of the starting position.
pub(super) const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// Returns the board and the side to move that a FEN describes.
///
/// # Errors
/// What is wrong first: flaws of the text come before flaws of the placement.
pub(super) fn read(fen: &str) -> Result<(Board, Side), String> {
    let mut fields = fen.split_whitespace().peekable();
    let placement = fields.next().ok_or_else(|| format!("no text; a FEN looks like {START_FEN}"))?;
    let (placement, glued) = split_glued_side(placement, fields.peek().copied());
    let board = read_board(placement.strip_suffix("[]").unwrap_or(placement))?;
    let text = if glued.is_some() { None } else { fields.next() };
    let unknown = |text| format!("side to move \"{text}\"; expected w, r or b");
    let side = text.map_or(Ok(Side::First), |text| side_of(text).ok_or_else(|| unknown(text)))?;
    let side = glued.unwrap_or(side);
    // Up to two dashes and two numbers.
    for (position, text) in (3..).zip(fields) {
        match position {
            3 | 4 if text != "-" => return Err(format!("field {position} is \"{text}\"; expected -")),
            5 | 6 if text.parse::<u32>().is_err() => {
                return Err(format!("field {position} is \"{text}\"; expected a number"));
            }
            3..=6 => {}
            _ => return Err(format!("\"{text}\" after the last field")),
        }
    }
    check_placement(&board)?;
    let other = side.other();
    match board.is_attacked(other, board.general(other), board.general(other)) {
        true => Err(format!("{} is in check and not to move", side_name(other))),
        false => Ok((board, side)),
    }
}

/// Returns the FEN of a board, all fields.
pub(super) fn write(board: &Board, side: Side) -> String {
    let mut fen = String::with_capacity(80);
    for rank in (0..RANKS).rev() {
        let mut gap = 0;
        for file in 0..FILES {
            let piece = Square::at(file, rank).and_then(|square| board.piece_at(square));
            gap += u32::from(piece.is_none());
            if gap > 0 && (piece.is_some() || file + 1 == FILES) {
                fen.push_str(&gap.to_string());
                gap = 0;
            }
            fen.extend(piece.map(|(side, kind)| match side {
                Side::First => kind.letter(),
                Side::Second => kind.letter().to_ascii_lowercase(),
            }));
        }
        if rank > 0 {
            fen.push('/');
        }
    }
    fen.push_str(if side == Side::First { " w - - 0 1" } else { " b - - 0 1" });
    fen
}

fn side_of(text: &str) -> Option<Side> {
    match text {
        "w" | "r" => Some(Side::First),
        "b" => Some(Side::Second),
        _ => None,
    }
}

/// Takes a side letter off the end of the board text. `b` and `r` are pieces too: they are the side where the last
/// rank is full without them and no side follows.
fn split_glued_side<'a>(placement: &'a str, next: Option<&str>) -> (&'a str, Option<Side>) {
    let no_glue = (placement, None);
    if next.and_then(side_of).is_some() {
        return no_glue;
    }
    let Some(last) = placement.char_indices().next_back() else { return no_glue };
    let (rest, Some(side)) = (&placement[..last.0], side_of(&placement[last.0..])) else { return no_glue };
    let last_rank = rest.strip_suffix("[]").unwrap_or(rest).rsplit('/').next().unwrap_or_default();
    if points(last_rank) == u32::from(FILES) { (rest, Some(side)) } else { no_glue }
}

/// The points that a rank's text covers.
fn points(rank: &str) -> u32 {
    rank.chars().map(|c| c.to_digit(10).unwrap_or(1)).sum()
}

fn read_board(placement: &str) -> Result<Board, String> {
    let ranks: Vec<&str> = placement.split('/').collect();
    match ranks.len() {
        10 => {}
        8 => {
            return Err(format!("8 ranks, as a chess board has; a xiangqi board has 10, as in {START_FEN}"));
        }
        count => return Err(format!("{count} ranks where a xiangqi board has 10, as in {START_FEN}")),
    }
    let mut board = Board::empty();
    for (rank, text) in (0..RANKS).rev().zip(ranks) {
        read_rank(&mut board, rank, text)?;
    }
    Ok(board)
}

fn read_rank(board: &mut Board, rank: u8, text: &str) -> Result<(), String> {
    let kind = |c: char| Kind::from_letter(c.to_ascii_uppercase());
    if let Some(letter) = text.chars().find(|&c| !matches!(c, '1'..='9') && kind(c).is_none()) {
        return Err(format!(
            "'{letter}' on rank {rank} is not a piece; pieces are K A B N R C P, E for B, H for N"
        ));
    }
    let files = points(text);
    if files != u32::from(FILES) {
        return Err(format!("rank {rank} has {files} points where a xiangqi rank has 9"));
    }
    let mut file = 0;
    for c in text.chars() {
        if let (Some(kind), Some(square)) = (kind(c), Square::at(file, rank)) {
            let side = if c.is_ascii_uppercase() { Side::First } else { Side::Second };
            board.put(side, kind, square);
        }
        file += c.to_digit(10).unwrap_or(1) as u8;
    }
    Ok(())
}

/// Checks that each piece is one of a set and can have come to where it stands.
fn check_placement(board: &Board) -> Result<(), String> {
    let sides = [Side::First, Side::Second];
    for side in sides {
        let (name, mut generals) = (side_name(side), board.pieces(side, Kind::General));
        match generals.len() {
            1 => {}
            0 => return Err(format!("{name} has no general")),
            count => return Err(format!("{name} has {count} generals")),
        }
        if let Some(square) = generals.find(|&square| !palace(side).contains(square)) {
            return Err(format!("the {name} general on {square} is outside its palace"));
        }
    }
    for side in sides {
        let name = side_name(side);
        for kind in Kind::ALL {
            let (pieces, set) = (board.pieces(side, kind), kind.in_set());
            if pieces.len() > set {
                let (count, kind) = (pieces.len(), kind.name());
                return Err(format!("{name} has {count} {kind}s where a set has {set}"));
            }
            if let Some(square) = (pieces & !possible_points(side, kind)).next() {
                return Err(format!("a {name} {} can never stand on {square}", kind.name()));
            }
        }
        let mut files = [0; FILES as usize];
        for square in board.pieces(side, Kind::Pawn) & home(side) {
            files[usize::from(square.file())] += 1;
        }
        if let Some(file) = (b'a'..).zip(files).find_map(|(file, pawns)| (pawns > 1).then_some(file)) {
            let file = char::from(file);
            return Err(format!(
                "{name} has two pawns on file {file} before the river, and pawns change files only beyond it"
            ));
        }
    }
    let faced = board.rook_attacks(board.general(Side::First));
    match faced.contains(board.general(Side::Second)) {
        true => Err("the generals face each other on an open file".to_owned()),
        false => Ok(()),
    }
}

/// The points on which a piece can ever stand. Pawns start on every second file, step straight on up to the river,
/// and never back.
fn possible_points(side: Side, kind: Kind) -> Bitboard {
    match kind {
        Kind::Advisor => advisor_points(side),
        Kind::Elephant => elephant_points(side),
        Kind::Pawn => home(side.other()) | pawn_starts(side),
        Kind::General => palace(side),
        Kind::Cannon | Kind::Horse | Kind::Rook => Bitboard::ALL,
    }
}

/// The ten points of a side's pawns before the river.
fn pawn_starts(side: Side) -> Bitboard {
    let ranks = if side == Side::First { [3, 4] } else { [5, 6] };
    let squares =
        ranks.into_iter().flat_map(|rank| (0..FILES).step_by(2).map(move |file| Square::at(file, rank)));
    squares.fold(Bitboard::EMPTY, Bitboard::with)
}
