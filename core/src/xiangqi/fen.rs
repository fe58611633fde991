//! Reads and writes FEN. A text is refused for its first [`Flaw`].
//!
//! `rnbakabnr/…/RNBAKABNR w - - 0 1`: ranks 9 to 0, red in upper case, side to move, two empty fields, half-move clock,
//! move number. Accepted variants: `H` for `N` and `E` for `B`, `r` for `w`, missing trailing
//! fields, the side letter glued to the board (`…5K3w`), an empty pocket `[]` after the board. A position does not hold
//! the counters: they are checked, dropped, and written as `0 1`.

use thiserror::Error;

use super::attacks::{advisor_points, elephant_points, home, palace};
use super::bitboard::Bitboard;
use super::board::Board;
use super::piece::{Kind, side_name};
use super::square::{FILES, RANKS, Square};
use crate::game::Side;

/// The FEN of the starting position.
pub(super) const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// Why a FEN is refused; one for each rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Flaw {
    #[error("no text; a FEN looks like {START_FEN}")]
    Empty,
    #[error("8 ranks, as a chess board has; a xiangqi board has 10, as in {START_FEN}")]
    ChessBoard,
    #[error("{0} ranks where a xiangqi board has 10, as in {START_FEN}")]
    Ranks(usize),
    #[error("rank {rank} has {files} points where a xiangqi rank has 9")]
    Files { rank: u8, files: u32 },
    #[error("'{letter}' on rank {rank} is not a piece; pieces are K A B N R C P, E for B, H for N")]
    Letter { rank: u8, letter: char },
    #[error("side to move \"{0}\"; expected w, r or b")]
    SideLetter(String),
    #[error("field {position} is \"{text}\"; expected -")]
    Dash { position: usize, text: String },
    #[error("field {position} is \"{text}\"; expected a number")]
    Counter { position: usize, text: String },
    #[error("\"{0}\" after the last field")]
    TrailingText(String),
    #[error("{} has no general", side_name(*.0))]
    NoGeneral(Side),
    #[error("{} has {count} generals", side_name(*.side))]
    Generals { side: Side, count: usize },
    #[error("the {} general on {square} is outside its palace", side_name(*.side))]
    GeneralOutsidePalace { side: Side, square: Square },
    #[error("{} has {count} {}s where a set has {}", side_name(*.side), .kind.name(), .kind.in_set())]
    TooMany { side: Side, kind: Kind, count: usize },
    #[error("a {} {} can never stand on {square}", side_name(*.side), .kind.name())]
    Impossible { side: Side, kind: Kind, square: Square },
    #[error("{} has two pawns on file {file} before the river, and pawns change files only beyond it", side_name(*.side))]
    DoubledPawns { side: Side, file: char },
    #[error("the generals face each other on an open file")]
    FacingGenerals,
    #[error("{} is in check and not to move", side_name(*.0))]
    OtherSideInCheck(Side),
}

/// Returns the board and the side to move that a FEN describes.
///
/// # Errors
/// The first [`Flaw`]: flaws of the text first, then flaws of the placement.
pub(super) fn read(fen: &str) -> Result<(Board, Side), Flaw> {
    let mut fields = fen.split_whitespace();
    let placement = fields.next().ok_or(Flaw::Empty)?;
    let fields: Vec<&str> = fields.collect();
    let (placement, glued) = split_glued_side(placement, fields.first().copied());
    let board = read_board(placement.strip_suffix("[]").unwrap_or(placement))?;
    let side = match glued {
        Some(side) => {
            check_rest(&fields, 3)?;
            side
        }
        None => {
            let side = fields.first().map_or(Ok(Side::First), |text| read_side(text))?;
            check_rest(fields.get(1..).unwrap_or_default(), 3)?;
            side
        }
    };
    check_placement(&board)?;
    if board.is_attacked(side.other(), board.general(side.other()), board.general(side.other())) {
        return Err(Flaw::OtherSideInCheck(side.other()));
    }
    Ok((board, side))
}

/// Returns the FEN of a board, all fields.
pub(super) fn write(board: &Board, side: Side) -> String {
    let mut fen = String::with_capacity(80);
    for rank in (0..RANKS).rev() {
        let mut gap = 0;
        for file in 0..FILES {
            match Square::at(file, rank).and_then(|square| board.piece_at(square)) {
                None => gap += 1,
                Some((side, kind)) => {
                    push_gap(&mut fen, &mut gap);
                    fen.push(letter(side, kind));
                }
            }
        }
        push_gap(&mut fen, &mut gap);
        if rank > 0 {
            fen.push('/');
        }
    }
    fen.push_str(if side == Side::First { " w - - 0 1" } else { " b - - 0 1" });
    fen
}

fn push_gap(fen: &mut String, gap: &mut u32) {
    if *gap > 0 {
        fen.push_str(&gap.to_string());
    }
    *gap = 0;
}

fn letter(side: Side, kind: Kind) -> char {
    match side {
        Side::First => kind.letter(),
        Side::Second => kind.letter().to_ascii_lowercase(),
    }
}

fn read_side(text: &str) -> Result<Side, Flaw> {
    match text {
        "w" | "r" => Ok(Side::First),
        "b" => Ok(Side::Second),
        _ => Err(Flaw::SideLetter(text.to_owned())),
    }
}

/// Takes a side letter off the end of the board text. `b` and `r` are pieces too: they are the side where the last
/// rank is full without them and no side follows.
fn split_glued_side<'a>(placement: &'a str, next: Option<&str>) -> (&'a str, Option<Side>) {
    let no_glue = (placement, None);
    if next.is_some_and(|text| read_side(text).is_ok()) {
        return no_glue;
    }
    let Some(last) = placement.char_indices().next_back() else { return no_glue };
    let (rest, Ok(side)) = (&placement[..last.0], read_side(&placement[last.0..])) else { return no_glue };
    let last_rank = rest.strip_suffix("[]").unwrap_or(rest).rsplit('/').next().unwrap_or_default();
    if points(last_rank) == u32::from(FILES) { (rest, Some(side)) } else { no_glue }
}

/// The points that a rank's text covers.
fn points(rank: &str) -> u32 {
    rank.chars().map(|c| c.to_digit(10).unwrap_or(1)).sum()
}

fn read_board(placement: &str) -> Result<Board, Flaw> {
    let ranks: Vec<&str> = placement.split('/').collect();
    match ranks.len() {
        10 => {}
        8 => return Err(Flaw::ChessBoard),
        count => return Err(Flaw::Ranks(count)),
    }
    let mut board = Board::empty();
    for (rank, text) in (0..RANKS).rev().zip(ranks) {
        read_rank(&mut board, rank, text)?;
    }
    Ok(board)
}

fn read_rank(board: &mut Board, rank: u8, text: &str) -> Result<(), Flaw> {
    if let Some(letter) =
        text.chars().find(|&c| !is_gap(c) && Kind::from_letter(c.to_ascii_uppercase()).is_none())
    {
        return Err(Flaw::Letter { rank, letter });
    }
    if points(text) != u32::from(FILES) {
        return Err(Flaw::Files { rank, files: points(text) });
    }
    let mut file = 0;
    for c in text.chars() {
        if let (Some(kind), Some(square)) =
            (Kind::from_letter(c.to_ascii_uppercase()), Square::at(file, rank))
        {
            let side = if c.is_ascii_uppercase() { Side::First } else { Side::Second };
            board.put(side, kind, square);
        }
        file += c.to_digit(10).unwrap_or(1) as u8;
    }
    Ok(())
}

fn is_gap(c: char) -> bool {
    matches!(c, '1'..='9')
}

/// Checks the fields after the side: up to two dashes and two numbers.
fn check_rest(fields: &[&str], first_position: usize) -> Result<(), Flaw> {
    for (i, &text) in fields.iter().enumerate() {
        let (position, owned) = (first_position + i, || text.to_owned());
        match i {
            0 | 1 if text != "-" => return Err(Flaw::Dash { position, text: owned() }),
            2 | 3 if text.parse::<u32>().is_err() => return Err(Flaw::Counter { position, text: owned() }),
            0..=3 => {}
            _ => return Err(Flaw::TrailingText(owned())),
        }
    }
    Ok(())
}

/// Checks that each piece is one of a set and can have come to where it stands.
fn check_placement(board: &Board) -> Result<(), Flaw> {
    let sides = [Side::First, Side::Second];
    sides.into_iter().try_for_each(|side| check_general(board, side))?;
    for side in sides {
        for kind in Kind::ALL {
            let pieces = board.pieces(side, kind);
            if pieces.len() > kind.in_set() {
                return Err(Flaw::TooMany { side, kind, count: pieces.len() });
            }
            if let Some(square) = (pieces & !possible_points(side, kind)).next() {
                return Err(Flaw::Impossible { side, kind, square });
            }
        }
        check_doubled_pawns(board, side)?;
    }
    if are_facing(board) {
        return Err(Flaw::FacingGenerals);
    }
    Ok(())
}

fn check_general(board: &Board, side: Side) -> Result<(), Flaw> {
    let mut generals = board.pieces(side, Kind::General);
    match generals.len() {
        1 => {}
        0 => return Err(Flaw::NoGeneral(side)),
        count => return Err(Flaw::Generals { side, count }),
    }
    match generals.find(|&square| !palace(side).contains(square)) {
        Some(square) => Err(Flaw::GeneralOutsidePalace { side, square }),
        None => Ok(()),
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

fn check_doubled_pawns(board: &Board, side: Side) -> Result<(), Flaw> {
    let waiting = board.pieces(side, Kind::Pawn) & home(side);
    let mut seen = [false; FILES as usize];
    for square in waiting {
        let before = std::mem::replace(&mut seen[usize::from(square.file())], true);
        if before {
            return Err(Flaw::DoubledPawns { side, file: char::from(b'a' + square.file()) });
        }
    }
    Ok(())
}

fn are_facing(board: &Board) -> bool {
    let red = board.general(Side::First);
    board.rook_attacks(red).contains(board.general(Side::Second))
}
