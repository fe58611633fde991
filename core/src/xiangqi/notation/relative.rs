//! What a move text means that names a piece by kind and column instead of its square: WXF and Chinese alike.
//!
//! In goes the meaning, as `signs` reads it, and a position; out comes the one legal move that fits. Columns are files
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

use std::fmt;

use arrayvec::ArrayVec;

use super::wxf;
use crate::game::{Game, Move, MoveError, Side};
use crate::xiangqi::moves::encode;
use crate::xiangqi::{Bitboard, FILES, Kind, RANKS, Square, Xiangqi};

/// Most pieces of a kind that a side has: five pawns.
pub(super) const MOST: usize = 5;

/// A move as its player tells it: which piece, where to.
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
    /// Not told: the one that can.
    Any,
    /// Not told, by WXF's rule for pawns: the middle one of three or five, else the one that can.
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

/// Why no one legal move fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresolved {
    Illegal,
    Ambiguous,
}

impl Unresolved {
    /// Returns the error about a move text.
    pub(super) fn of(self, text: String) -> MoveError {
        match self {
            Unresolved::Illegal => MoveError::Illegal(text),
            Unresolved::Ambiguous => MoveError::Ambiguous(text),
        }
    }
}

/// A side's pieces of one kind on a column, front to back.
pub(super) type Column = ArrayVec<Square, MOST>;

impl Relative {
    /// Returns the one legal move that fits. Where a text has two readings, the second counts if the first has no
    /// legal move.
    pub(super) fn find(self, position: &Xiangqi) -> Result<Move, Unresolved> {
        let pieces = Pieces::of(position, self.kind);
        for origins in [self.origins(&pieces), self.other_origins(&pieces)] {
            let mut legal = origins
                .filter_map(|from| self.move_from(position.side(), from))
                .filter(|&m| position.is_legal(m));
            if let Some(m) = legal.next() {
                return if legal.next().is_none() { Ok(m) } else { Err(Unresolved::Ambiguous) };
            }
        }
        Err(Unresolved::Illegal)
    }

    /// Returns the pieces that are meant.
    fn origins(self, pieces: &Pieces) -> Bitboard {
        match (self.order, self.column) {
            (Order::Nth(nth), None) => pieces.nth_in_tandem(nth),
            // WXF's `33` is the middle pawn of three on column 3, Fairy-Stockfish's the third.
            (Order::Nth(nth), Some(column)) if nth == column && pieces.tandem_columns() > 1 => {
                Order::Middle.among(&pieces.on(column))
            }
            (Order::AnyOrMiddle, Some(column)) => Order::Middle.among(&pieces.on(column)),
            (order, Some(column)) => order.among(&pieces.on(column)),
            (order, None) => pieces.tandem().fold(Bitboard::EMPTY, |all, column| all | order.among(&column)),
        }
    }

    /// Returns the pieces that are meant if those of [`Relative::origins`] cannot be.
    fn other_origins(self, pieces: &Pieces) -> Bitboard {
        match (self.order, self.column) {
            (Order::AnyOrMiddle, Some(column)) => Order::Any.among(&pieces.on(column)),
            (Order::Nth(_), Some(column)) => self.order.among(&pieces.on(column)),
            // Some files write `3P+1` for `P3+1`.
            (Order::Nth(column), None) => Order::Any.among(&pieces.on(column)),
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

impl fmt::Display for Relative {
    /// Writes WXF's characters; what WXF cannot say in four is said in five, as in `+P3=4`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = wxf::letter(self.kind);
        match (self.order, self.column) {
            (Order::Nth(nth), Some(column)) => write!(out, "{nth}{column}"),
            (Order::Nth(nth), None) => write!(out, "{nth}{letter}"),
            (Order::InnerFront, _) => write!(out, "{letter}+"),
            (Order::InnerRear, _) => write!(out, "{letter}-"),
            (order, column) => {
                let mark = match order {
                    Order::Front => "+",
                    Order::Middle => ".",
                    Order::Rear => "-",
                    _ => "",
                };
                write!(out, "{mark}{letter}")?;
                column.map_or(Ok(()), |column| write!(out, "{column}"))
            }
        }?;
        write!(out, "{}{}", wxf::direction(self.direction), self.number)
    }
}

impl Order {
    /// Returns those of a column's pieces that are meant.
    fn among(self, column: &Column) -> Bitboard {
        let count = column.len();
        let index = match self {
            Order::Any | Order::AnyOrMiddle => {
                return column.iter().fold(Bitboard::EMPTY, |all, &square| all.with(Some(square)));
            }
            Order::Front => Some(0),
            Order::Middle => (count % 2 == 1 && count > 1).then_some(count / 2),
            Order::Rear => count.checked_sub(1),
            Order::InnerFront => Some(usize::from(count > 3)),
            Order::InnerRear => count.checked_sub(if count > 3 { 2 } else { 1 }),
            Order::Nth(nth) => usize::from(nth).checked_sub(1),
        };
        Bitboard::EMPTY.with(index.and_then(|index| column.get(index)).copied())
    }
}

/// The mover's pieces of one kind, by column.
pub(super) struct Pieces {
    side: Side,
    squares: Bitboard,
}

impl Pieces {
    /// Returns the pieces of a kind of the side to move.
    pub(super) fn of(position: &Xiangqi, kind: Kind) -> Pieces {
        Pieces { side: position.side(), squares: position.pieces(position.side(), kind) }
    }

    /// Returns those on a column, front to back.
    pub(super) fn on(&self, column: u8) -> Column {
        let file = file_of(self.side, column);
        let mut squares: Column = self.squares.filter(|square| square.file() == file).take(MOST).collect();
        // Sets are in order of rank: red's rearmost comes first.
        if self.side == Side::First {
            squares.reverse();
        }
        squares
    }

    /// Returns how many columns have several.
    pub(super) fn tandem_columns(&self) -> usize {
        self.tandem().count()
    }

    /// Returns the columns that have several, from the mover's right.
    fn tandem(&self) -> impl Iterator<Item = Column> + '_ {
        (1..=FILES).map(|column| self.on(column)).filter(|column| column.len() > 1)
    }

    /// Returns the n-th of all that share a column, from 1.
    fn nth_in_tandem(&self, nth: u8) -> Bitboard {
        Bitboard::EMPTY.with(self.tandem().flatten().nth(usize::from(nth).wrapping_sub(1)))
    }
}

/// Returns the file of a column; a number that is no column gives a file off the board.
const fn file_of(side: Side, column: u8) -> u8 {
    match side {
        Side::First => FILES.wrapping_sub(column),
        Side::Second => column.wrapping_sub(1),
    }
}

/// Returns the column of a square.
pub(super) const fn column_of(side: Side, square: Square) -> u8 {
    match side {
        Side::First => FILES - square.file(),
        Side::Second => square.file() + 1,
    }
}

// Column and rank numbers fit one digit: the longest way along a file is nine.
const _: () = assert!(FILES == 9 && RANKS == 10);
