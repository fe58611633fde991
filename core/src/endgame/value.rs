//! Values of positions, and the cells that store them in memory.
//!
//! A value is seen by the side to move. Distances are plies; a [`Metric`] says to what. In memory a cell is 16 bits:
//!
//! | bits 15–14 | bits 13–0 | meaning |
//! |---|---|---|
//! | 0 | 0 | draw; while solving: not known yet |
//! | 0 | 1 | while solving: a capture or promotion draws at least, so this is never lost |
//! | 1 | plies | win |
//! | 2 | plies | loss |
//! | 3 | plies | while solving: every conversion loses, the longest after this number of plies |
//! | 3 | 0x3fff | no position: men on one square, or the side that is not to move in check |

use std::fmt;

use crate::named::named_enum;

named_enum! {
    /// The event that distances are measured to.
    #[repr(u8)]
    pub enum Metric {
        /// Win, loss or draw only.
        Wld = 0 => "wld",
        /// Plies to mate (in xiangqi: to mate or stalemate).
        Dtm = 1 => "dtm",
        /// Plies to mate or to a conversion: a capture or a promotion.
        Dtc = 2 => "dtc",
        /// Plies to mate or to a move that resets the fifty-move count: a capture or a pawn move. Chess only.
        Dtz = 3 => "dtz",
    }
}

impl Metric {
    /// Returns the metric to look up a position in after a move that `changes` the material or not: only the distance to
    /// mate goes on past a conversion.
    pub fn after(self, changes: bool) -> Metric {
        if changes && self != Metric::Dtm { Metric::Wld } else { self }
    }

    /// Returns the value of an irreversible move that leads to `reached`, a value of the opponent.
    pub fn converted(self, step: Irreversible, reached: Value) -> Value {
        let plies = |plies: u16| match (self, step) {
            (Metric::Dtm, _) | (Metric::Dtc, Irreversible::Push) => plies + 1,
            (Metric::Wld | Metric::Dtc | Metric::Dtz, _) => 1,
        };
        match reached {
            Value::Draw => Value::Draw,
            Value::Win(after) => Value::Loss(plies(after)),
            Value::Loss(after) => Value::Win(plies(after)),
        }
    }
}

/// Kinds of moves that cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Irreversible {
    /// A capture or a promotion: the material changes.
    Conversion,
    /// A pawn move that changes no material.
    Push,
}

/// The value of a position for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// Neither side can force a win.
    Draw,
    /// Won in this number of plies.
    Win(u16),
    /// Lost in this number of plies; 0 without a legal move.
    Loss(u16),
}

impl Value {
    /// Returns the value one reversible ply earlier, for the side that moved.
    pub fn before(self) -> Value {
        match self {
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Loss(plies) => Value::Win(plies + 1),
        }
    }

    /// Returns a number that is larger, the better the value: quick wins, …, draws, quick losses.
    pub fn preference(self) -> i32 {
        match self {
            Value::Draw => 0,
            Value::Win(plies) => (1 << 16) - i32::from(plies),
            Value::Loss(plies) => i32::from(plies) - (1 << 16),
        }
    }

    /// Returns 1, 0 or −1: won, drawn, lost.
    pub fn wdl(self) -> i8 {
        match self {
            Value::Draw => 0,
            Value::Win(_) => 1,
            Value::Loss(_) => -1,
        }
    }

    /// Returns the value, or a win or draw without distance where who wins is known to be better.
    pub fn at_least(self, wdl: i8) -> Value {
        match wdl {
            1 if self.wdl() < 1 => Value::Win(0),
            0 if self.wdl() < 0 => Value::Draw,
            _ => self,
        }
    }

    /// Returns the distance, negative for a loss, 0 for a draw.
    pub fn signed_plies(self) -> i32 {
        match self {
            Value::Draw => 0,
            Value::Win(plies) => i32::from(plies),
            Value::Loss(plies) => -i32::from(plies),
        }
    }
}

/// A cell of a table in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell(u16);

const KIND: u16 = 0xc000;
const PLIES: u16 = 0x3fff;
const WIN: u16 = 0x4000;
const LOSS: u16 = 0x8000;
const PENDING: u16 = 0xc000;

impl Cell {
    /// Not known yet; a draw once the solver has ended.
    pub const UNKNOWN: Cell = Cell(0);
    /// Not known yet, but a conversion draws at least.
    pub const SAFE: Cell = Cell(1);
    /// No position.
    pub const INVALID: Cell = Cell(0xffff);

    /// Returns the cell of a win.
    pub const fn win(plies: u16) -> Cell {
        Cell(WIN | plies)
    }

    /// Returns the cell of a loss.
    pub const fn loss(plies: u16) -> Cell {
        Cell(LOSS | plies)
    }

    /// Returns the cell of a position whose conversions all lose, the longest after `plies`.
    pub const fn pending(plies: u16) -> Cell {
        Cell(PENDING | plies)
    }

    /// Returns the cell of a final value.
    pub const fn of(value: Value) -> Cell {
        match value {
            Value::Draw => Cell::UNKNOWN,
            Value::Win(plies) => Cell::win(plies),
            Value::Loss(plies) => Cell::loss(plies),
        }
    }

    /// Returns whether the cell is a position.
    pub fn is_valid(self) -> bool {
        self != Cell::INVALID
    }

    /// Returns whether the cell is a win of more than `plies`, or undecided.
    pub fn may_win_in(self, plies: u16) -> bool {
        match self.0 & KIND {
            WIN => self.0 & PLIES > plies,
            LOSS => false,
            _ => self.is_valid(),
        }
    }

    /// Returns the plies after which a position without an unlost reversible move is lost, if it is.
    pub fn lost_in(self, plies: u16) -> Option<u16> {
        match self.0 & KIND {
            PENDING if self.is_valid() => Some(plies.max(self.0 & PLIES)),
            _ if self == Cell::UNKNOWN => Some(plies),
            _ => None,
        }
    }

    /// Returns the value of a decided cell; `None` for one that is unknown, drawn or no position.
    pub fn decided(self) -> Option<Value> {
        match self.0 & KIND {
            WIN => Some(Value::Win(self.0 & PLIES)),
            LOSS => Some(Value::Loss(self.0 & PLIES)),
            _ => None,
        }
    }

    /// Returns the cell without its distance.
    pub fn without_distance(self) -> Cell {
        match self.decided() {
            Some(Value::Win(_)) => Cell::win(0),
            Some(Value::Loss(_)) => Cell::loss(0),
            Some(Value::Draw) | None => self,
        }
    }

    /// Returns the value of a cell of a solved table; `None` if it is not a position.
    pub fn value(self) -> Option<Value> {
        if self.is_valid() { Some(self.decided().unwrap_or(Value::Draw)) } else { None }
    }

    /// Returns the cell as it stays when the solver has ended: what is not decided is a draw.
    pub fn settled(self) -> Cell {
        match self.0 & KIND {
            WIN | LOSS => self,
            _ if self.is_valid() => Cell::UNKNOWN,
            _ => self,
        }
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(out, "{value:?}"),
            None => out.write_str("Invalid"),
        }
    }
}
