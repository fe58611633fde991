//! Types and traits that chess and xiangqi share.
//!
//! Small value types ([`Side`], [`Move`], [`Key`], [`Lock`], [`Outcome`]), and the traits through which the rest of the
//! core uses the rules: [`Game`] for everybody, and one more for each kind of user. [`Replayable`] plays the moves of
//! archives, [`Notated`] reads and writes moves as text, [`Foldable`] merges mirrored positions, [`HistoryRules`] judges
//! repetitions and counts moves, [`SearchMoves`] lists moves in the order a search wants.
//! The rules themselves are in [`crate::chess`] and [`crate::xiangqi`].

mod error;
mod fold;
mod history_rules;
mod ids;
mod key;
mod moves;
mod notation;
mod outcome;
mod replay;
mod rules;
mod ruling;
mod search_moves;
mod side;

pub use error::{FenError, MoveError};
pub use fold::{Foldable, Folded, Symmetry};
pub use history_rules::HistoryRules;
pub use ids::GameId;
pub use key::{Key, Lock};
pub use moves::{Capture, MAX_MOVES, Move, MoveList};
pub use notation::{Notated, Notation};
pub use outcome::{Outcome, Verdict};
pub use replay::Replayable;
pub use rules::{Game, perft};
pub use ruling::{Article, RepetitionRule, Ruling};
pub use search_moves::{SearchMoves, Searchable};
pub use side::Side;
