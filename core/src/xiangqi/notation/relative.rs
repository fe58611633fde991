//! Moves that name a piece by kind and column instead of its square, as WXF and Chinese texts do.
//!
//! Finds the one legal move that fits what `signs` has parsed. Columns are files
//! counted 1–9 from the mover's right. The rules for several pieces of a kind on a column, WXF's and the Chinese ones:
//!
//! | pieces | Chinese | WXF |
//! |---|---|---|
//! | two on a column | 前炮 后炮 | `C+` `C-` |
//! | three pawns | 前兵 中兵 后兵 | `P+` `P3` `P-` (column 3) |
//! | four pawns | 前兵 二兵 三兵 后兵 | `++` `P+` `P-` `--` |
//! | five pawns | 前兵 二兵 三兵 四兵 后兵 | `++` `P+` `P3` `P-` `--` |
//! | pawns, two such columns | 前三 中三 后三, 前七 后七 | `3+` `33` `3-`, `7+` `7-` |
//!
//! Advisors and elephants never need it: where two share a column, one can only advance and the other only retreat.
//! Source: World Xiangqi Federation, Official Xiangqi Piece Names and Notation; for Chinese the usage of DhtmlXQ.
//! Other writers' forms are understood as well: 一兵 … 五兵 and `Pa` … `Pe` count the pawns of all such columns from
//! the mover's right to the left, front to back (ElephantEye); `25` is the second pawn on column 5 (Fairy-Stockfish).

use crate::game::{Game, Move, MoveError, Side};
use crate::xiangqi::attacks::FILE_POINTS;
use crate::xiangqi::moves::{decode, encode};
use crate::xiangqi::{Bitboard, FILES, Kind, RANKS, Square, Xiangqi};

/// A move as its player describes it: the piece and its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Relative {
    /// The kind of the piece that moves.
    pub(super) kind: Kind,
    /// Which of the pieces of that kind on its column.
    pub(super) order: Order,
    /// The column, 1–9 from the mover's right; `None` is any with several pieces of the kind.
    pub(super) column: Option<u8>,
    /// Where it goes.
    pub(super) direction: Direction,
    /// The column it goes to, or how many ranks where it stays on its column.
    pub(super) number: u8,
}

/// Which of several pieces of a kind on a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Order {
    /// Not named: the one that can.
    Any,
    /// Not named, by WXF's rule for pawns: the middle one of three or five, else the one that can.
    AnyOrMiddle,
    /// The foremost.
    Front,
    /// The middle one of three or five.
    Middle,
    /// The rearmost.
    Rear,
    /// WXF's `P+`: the foremost of two or three, the second of four or five.
    InnerFront,
    /// WXF's `P-`: the rearmost of two or three, the last but one of four or five.
    InnerRear,
    /// The n-th from the front; without a column counted over all columns with several, from the mover's right.
    Nth(u8),
}

/// Why no one legal move fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresolved {
    Illegal,
    Ambiguous,
}

impl Unresolved {
    /// Returns the only one of the moves that fit.
    pub(super) fn unless_one(mut moves: impl Iterator<Item = Move>) -> Result<Move, Unresolved> {
        match (moves.next(), moves.next()) {
            (Some(m), None) => Ok(m),
            (None, _) => Err(Unresolved::Illegal),
            (Some(_), Some(_)) => Err(Unresolved::Ambiguous),
        }
    }

    pub(super) fn of(self, text: String) -> MoveError {
        match self {
            Unresolved::Illegal => MoveError::Illegal(text),
            Unresolved::Ambiguous => MoveError::Ambiguous(text),
        }
    }
}

impl Relative {
    /// Returns the one legal move that fits. Where a text has two readings, the second counts if the first has no
    /// legal move.
    pub(super) fn find(self, position: &Xiangqi) -> Result<Move, Unresolved> {
        let pieces = Pieces::of(position, self.kind);
        let first = self.find_from(position, self.origins(pieces));
        if first == Err(Unresolved::Illegal) {
            return self.find_from(position, self.other_origins(pieces));
        }
        first
    }

    /// Returns the one legal move of the pieces on `origins` that fits.
    fn find_from(self, position: &Xiangqi, origins: Bitboard) -> Result<Move, Unresolved> {
        let moves = origins.filter_map(|from| self.move_from(position.side(), from));
        Unresolved::unless_one(moves.filter(|&m| position.is_legal(m)))
    }

    /// Returns the pieces that are meant.
    fn origins(self, pieces: Pieces) -> Bitboard {
        match (self.order, self.column) {
            (Order::Nth(nth), None) => nth_in_tandems(pieces, nth),
            // WXF's `33` is the middle pawn of three on column 3, Fairy-Stockfish's the third.
            (Order::Nth(nth), Some(column)) if nth == column && pieces.tandems().count() > 1 => {
                Order::Middle.among(pieces.on(column))
            }
            (Order::AnyOrMiddle, Some(column)) => Order::Middle.among(pieces.on(column)),
            (order, Some(column)) => order.among(pieces.on(column)),
            (order, None) => pieces.tandems().fold(Bitboard::EMPTY, |all, column| all | order.among(column)),
        }
    }

    /// Returns the pieces to try if none of [`Relative::origins`] can move.
    fn other_origins(self, pieces: Pieces) -> Bitboard {
        match (self.order, self.column) {
            (Order::AnyOrMiddle, Some(column)) => pieces.on(column).squares,
            (Order::Nth(_), Some(column)) => self.order.among(pieces.on(column)),
            // Some files write `3P+1` for `P3+1`.
            (Order::Nth(column), None) => pieces.on(column).squares,
            _ => Bitboard::EMPTY,
        }
    }

    /// Returns the move of the piece on `from`, if it stays on the board, legal or not.
    fn move_from(self, side: Side, from: Square) -> Option<Move> {
        let (files, ranks) = match self.kind {
            Kind::Advisor | Kind::Elephant | Kind::Horse => {
                let files = file_of(side, self.number).abs_diff(from.file());
                let ranks = match (self.kind, files) {
                    (Kind::Advisor, 1) | (Kind::Horse, 2) => 1,
                    (Kind::Elephant, 2) | (Kind::Horse, 1) => 2,
                    _ => return None,
                };
                (Some(self.number), ranks)
            }
            Kind::Rook | Kind::Cannon | Kind::Pawn | Kind::General => match self.direction {
                Direction::Sideways => (Some(self.number), 0),
                Direction::Forward | Direction::Back => (None, self.number),
            },
        };
        let file = files.map_or(from.file(), |column| file_of(side, column));
        let is_up = match self.direction {
            Direction::Sideways if ranks > 0 => return None,
            Direction::Sideways => true,
            Direction::Forward => side == Side::First,
            Direction::Back => side == Side::Second,
        };
        let rank = if is_up { from.rank() + ranks } else { from.rank().checked_sub(ranks)? };
        Square::at(file, rank).map(|to| encode(from, to))
    }
}

impl Order {
    /// Returns the named pieces of a column.
    fn among(self, column: Pieces) -> Bitboard {
        let count = column.len();
        let index = match self {
            Order::Any | Order::AnyOrMiddle => return column.squares,
            Order::Front => Some(0),
            Order::Middle => (count % 2 == 1 && count > 1).then_some(count / 2),
            Order::Rear => count.checked_sub(1),
            Order::InnerFront => Some(usize::from(count > 3)),
            Order::InnerRear => count.checked_sub(if count > 3 { 2 } else { 1 }),
            Order::Nth(nth) => usize::from(nth).checked_sub(1),
        };
        index.map_or(Bitboard::EMPTY, |index| column.nth(index))
    }
}

/// Returns the n-th, from 1, of all pieces that share a column.
fn nth_in_tandems(pieces: Pieces, nth: u8) -> Bitboard {
    let mut pieces =
        pieces.tandems().flat_map(|column| (0..column.len()).map(move |index| column.nth(index)));
    pieces.nth(usize::from(nth).saturating_sub(1)).unwrap_or(Bitboard::EMPTY)
}

/// Where a piece goes, as its player sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// 进 `+`
    Forward,
    /// 退 `-`
    Back,
    /// 平 `=`
    Sideways,
}

/// Returns the file of a column; an invalid column gives a file off the board.
pub(super) const fn file_of(side: Side, column: u8) -> u8 {
    match side {
        Side::First => FILES.wrapping_sub(column),
        Side::Second => column.wrapping_sub(1),
    }
}

pub(super) const fn column_of(side: Side, square: Square) -> u8 {
    match side {
        Side::First => FILES - square.file(),
        Side::Second => square.file() + 1,
    }
}

/// The pieces of one kind of the side to move.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    side: Side,
    squares: Bitboard,
}

impl Pieces {
    /// Returns the pieces of a kind of the side to move.
    pub(super) fn of(position: &Xiangqi, kind: Kind) -> Pieces {
        Pieces { side: position.side(), squares: position.pieces(position.side(), kind) }
    }

    pub(super) fn on(self, column: u8) -> Pieces {
        let file = file_of(self.side, column);
        debug_assert!(file < FILES);
        let points = Bitboard(FILE_POINTS[(1 << RANKS) - 1] << file);
        Pieces { squares: self.squares & points, ..self }
    }

    /// Returns the columns that hold several, from the mover's right.
    pub(super) fn tandems(self) -> impl Iterator<Item = Pieces> {
        (1..=FILES).map(move |column| self.on(column)).filter(|pieces| pieces.len() > 1)
    }

    pub(super) fn len(self) -> usize {
        self.squares.len()
    }

    /// Returns how many stand in front of a point of their column.
    pub(super) fn before(self, square: Square) -> usize {
        let is_before = |other: &Square| match self.side {
            Side::First => other.rank() > square.rank(),
            Side::Second => other.rank() < square.rank(),
        };
        self.squares.filter(is_before).count()
    }

    /// Returns the one on its column before which `index` others stand, if there is one.
    pub(super) fn nth(self, index: usize) -> Bitboard {
        // Sets are in order of rank, so that red's rearmost comes first.
        let from_first_rank = match self.side {
            Side::First => self.len().checked_sub(index.saturating_add(1)),
            Side::Second => Some(index),
        };
        let mut squares = self.squares;
        Bitboard::EMPTY.with(from_first_rank.and_then(|index| squares.nth(index)))
    }
}

/// A move as its player describes it.
pub(super) struct Described {
    /// Who moves.
    pub(super) side: Side,
    /// What moves.
    pub(super) kind: Kind,
    /// The column it leaves.
    pub(super) column: u8,
    /// Which of the pieces of its kind on that column it is; `None` of the only one, or the only one that can.
    pub(super) place: Option<Ordinal>,
    /// Where it goes.
    pub(super) direction: Direction,
    /// The column it goes to, or how many ranks where it stays on its column.
    pub(super) number: u8,
}

/// The position of a piece among several of its kind on its column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Ordinal {
    /// How many are in front of it.
    pub(super) index: usize,
    /// How many there are.
    pub(super) count: usize,
    /// Whether no other column has several.
    pub(super) is_only_column: bool,
}

impl Described {
    /// Returns the description of a legal move; `None` for other codes.
    pub(super) fn of(position: &Xiangqi, m: Move) -> Option<Described> {
        let (from, to) = decode(m).filter(|(from, to)| from != to)?;
        let side = position.side();
        let (_, kind) = position.piece_at(from).filter(|&(owner, _)| owner == side)?;
        let direction = match (from.rank().cmp(&to.rank()), side) {
            (std::cmp::Ordering::Equal, _) => Direction::Sideways,
            (std::cmp::Ordering::Less, Side::First) | (std::cmp::Ordering::Greater, Side::Second) => {
                Direction::Forward
            }
            _ => Direction::Back,
        };
        let is_straight = from.file() == to.file();
        let number = if is_straight { from.rank().abs_diff(to.rank()) } else { column_of(side, to) };
        let column = column_of(side, from);
        let pieces = Pieces::of(position, kind);
        let peers = pieces.on(column);
        let (index, count) = (peers.before(from), peers.len());
        let is_told = count > 1 && !matches!(kind, Kind::Advisor | Kind::Elephant);
        let place = is_told.then(|| Ordinal { index, count, is_only_column: pieces.tandems().count() == 1 });
        Some(Described { side, kind, column, place, direction, number })
    }
}
