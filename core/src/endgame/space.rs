//! The interface between games and tables: the positions of one material as numbers, and their moves.
//!
//! A table has slices of cells, a cell for each side to move. Within a slice men move back and forth; moves that cannot
//! be undone lead to another table or to an earlier slice (chess: one slice a pawn structure, most advanced first).
//! Cells are *gapped*: quick to compute, some hold no position. A second, *gapless* numbering is for files.

use arrayvec::ArrayVec;

use crate::endgame::error::EndgameError;
use crate::endgame::material::{MAX_MEN, Material, Men, Reached, Routes};
use crate::endgame::value::Irreversible;
use crate::game::{Game, HistoryRules, Notated, Side};

/// Side, kind and square of each man.
pub type Board = ArrayVec<(Side, u8, u8), MAX_MEN>;

/// A position with its slice and cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indexed {
    /// The slice.
    pub slice: usize,
    /// The cell in the slice.
    pub cell: usize,
    /// Where the men stand, in the cell's own orientation.
    pub men: Men,
}

/// Whose moves, and whether they are made or taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Moves of the side to move.
    Forward(Side),
    /// Moves that a side may have made last.
    Back(Side),
}

impl Turn {
    /// Returns the side that makes or has made the moves.
    pub fn mover(self) -> Side {
        match self {
            Turn::Forward(side) | Turn::Back(side) => side,
        }
    }
}

/// The men of a space, and their routes to other tables.
#[derive(Debug)]
pub struct Roster {
    pub(super) material: Material,
    /// As [`Material::men`] lists them.
    pub(super) men: Vec<(Side, u8)>,
    pub(super) routes: Routes,
}

impl Roster {
    pub(super) fn of(material: &Material) -> Roster {
        Roster { material: material.clone(), men: material.men(), routes: Routes::of(material) }
    }
}

/// The symmetric positions that a cell stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orbit {
    /// Positions on the board that this cell stands for, so that all cells together count every one once.
    pub positions: u64,
    /// Whether the cell is the one that counts where positions are counted up to symmetry.
    pub is_representative: bool,
}

/// The positions of one material.
pub trait Space: Send + Sync + Sized + 'static {
    /// The game.
    type Game: HistoryRules + Notated;

    /// Whether a side without a legal move has lost even if it is not in check.
    const STALEMATE_LOSES: bool;

    /// Returns the space of a canonical material.
    ///
    /// # Errors
    /// [`EndgameError::Material`] where its tables would be larger than cells can be numbered.
    fn new(material: &Material) -> Result<Self, EndgameError>;

    /// Returns the men.
    fn roster(&self) -> &Roster;

    /// Returns the material.
    fn material(&self) -> &Material {
        &self.roster().material
    }

    /// Returns the men in table order, as [`Material::men`] does.
    fn listed(&self) -> &[(Side, u8)] {
        &self.roster().men
    }

    /// Returns the materials that irreversible moves lead to.
    fn dependencies(&self) -> &[Material] {
        self.roster().routes.dependencies()
    }

    /// Returns the position after a capture, a promotion or both; `men` stand as they do afterwards.
    fn reached(
        &self,
        men: &Men,
        victim: Option<usize>,
        promotion: Option<(usize, u8)>,
        to_move: Side,
    ) -> Option<Reached> {
        self.roster().routes.reached(Self::flip, men, victim, promotion, to_move)
    }

    /// Returns groups of slices. Slices lead only to slices of earlier groups.
    fn layers(&self) -> Vec<Vec<usize>>;

    /// Returns the number of slices.
    fn slices(&self) -> usize;

    /// Returns the cells of each slice, for one side to move.
    fn cells(&self) -> usize;

    /// Returns where the men of a cell stand; `None` where the cell is a gap.
    fn men(&self, slice: usize, cell: usize) -> Option<Men>;

    /// Returns the cell of men on distinct squares that the rules allow them; any order of like men, any symmetry.
    fn locate(&self, men: &Men) -> (usize, usize);

    /// Returns what the cell stands for.
    fn orbit(&self, place: &Indexed) -> Orbit;

    /// Returns whether a side's king is attacked.
    fn is_check(&self, men: &Men, side: Side) -> bool;

    /// Hands `visit` the cells of the slice that a side's reversible moves lead to, legal or not, until it returns
    /// false; returns whether it never did. Every move counts once: as often as `Forward` from a cell leads to
    /// another, `Back` leads from there to it, its twins of a symmetry taken together.
    fn quiet_moves(&self, place: &Indexed, turn: Turn, visit: &mut impl FnMut(usize) -> bool) -> bool;

    /// Hands `visit` where the legal irreversible moves of a side lead.
    fn conversions(&self, men: &Men, mover: Side, visit: &mut impl FnMut(Irreversible, Reached));

    /// Hands `visit` where captures en passant lead, on a square that a double step has passed.
    fn en_passant(&self, _men: &Men, _mover: Side, _passed: u8, _visit: &mut impl FnMut(Reached)) {}

    /// Returns the length of the gapless numbering.
    fn gapless_len(&self) -> u64;

    /// Returns the gapless number of men.
    fn gapless_index(&self, men: &Men) -> u64;

    /// Returns the men of a gapless number.
    fn gapless_men(&self, index: u64) -> Option<Men>;

    /// Returns the number of men of a position.
    fn men_count(position: &Self::Game) -> usize;

    /// Returns side, kind and square of the men of a position, in no particular order; `None` if there are more than
    /// any table has.
    fn men_on_board(position: &Self::Game) -> Option<Board>;

    /// Returns the square that a double step has passed, where it may be answered en passant.
    fn passed_square(_position: &Self::Game) -> Option<u8> {
        None
    }

    /// Returns the reason why a position is outside every table, apart from its men: castling rights.
    fn flaw(_position: &Self::Game) -> Option<&'static str> {
        None
    }

    /// Returns a square as the other side sees it.
    fn flip(square: u8) -> u8;

    /// Returns the men with the sides exchanged, of a material that is its own twin.
    fn exchanged(&self, men: &Men) -> Men {
        let others = self.material().side(Side::First).len() - 1;
        let mut image = Men::default();
        image[..2].copy_from_slice(&[Self::flip(men[1]), Self::flip(men[0])]);
        for man in 0..others {
            image[2 + man] = Self::flip(men[2 + others + man]);
            image[2 + others + man] = Self::flip(men[2 + man]);
        }
        image
    }

    /// Returns the FEN of men.
    fn fen(&self, men: &Men, to_move: Side) -> String;
}

/// A game with endgame tables.
pub trait Tabled: Game {
    /// The positions of its materials.
    type Space: Space<Game = Self>;
}
