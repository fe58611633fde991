//! Piece placement in the forms that move generation needs: sets of points and occupancies of lines.
//!
//! The side to move, keys and move codes are not part of it.

use super::attacks;
use super::bitboard::Bitboard;
use super::piece::{KINDS, Kind};
use super::square::{SQUARES, Square};
use crate::game::Side;
use crate::xiangqi::attacks::{ALONG_FILE, ALONG_RANK, FILE_POINTS, Reach};

/// The pieces of a position.
///
/// The same facts four times over: by point, by kind, by side, and as occupancy of each rank (bit = file) and file
/// (bit = rank), by which the tables of `lines` are looked up.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Board {
    kinds: [Bitboard; KINDS],
    sides: [Bitboard; 2],
    ranks: [u16; 10],
    files: [u16; 9],
    by_point: [Option<Kind>; SQUARES],
}

// A copy of the position is made for every move of a search: five cache lines.
const _: () = assert!(size_of::<Board>() <= 288);

impl Board {
    /// Returns the board without pieces.
    pub const fn empty() -> Board {
        Board {
            kinds: [Bitboard::EMPTY; KINDS],
            sides: [Bitboard::EMPTY; 2],
            ranks: [0; 10],
            files: [0; 9],
            by_point: [None; SQUARES],
        }
    }

    /// Returns the board as a game begins.
    pub fn start() -> Board {
        use Kind::{Advisor, Cannon, Elephant, General, Horse, Pawn, Rook};
        let back_rank = [Rook, Horse, Elephant, Advisor, General, Advisor, Elephant, Horse, Rook];
        let back_rank = back_rank.into_iter().enumerate();
        let cannons = [(19, Cannon), (25, Cannon)];
        let pawns = (27..36).step_by(2).map(|index| (index, Pawn));
        let mut board = Board::empty();
        for (index, kind) in back_rank.chain(cannons).chain(pawns) {
            board.put(Side::First, kind, Square::of(index));
            board.put(Side::Second, kind, Square::of(SQUARES - 1 - index));
        }
        board
    }

    /// Puts a piece on an empty point.
    pub fn put(&mut self, side: Side, kind: Kind, square: Square) {
        self.toggle(side, kind, Bitboard::of(square));
        self.toggle_lines(square);
        self.by_point[square.index()] = Some(kind);
    }

    /// Moves `side`'s piece of `kind`, taking what stands on the target.
    #[inline]
    pub fn shift(&mut self, side: Side, kind: Kind, from: Square, to: Square) {
        match self.by_point[to.index()] {
            Some(victim) => self.toggle(side.other(), victim, Bitboard::of(to)),
            None => self.toggle_lines(to),
        }
        self.toggle_lines(from);
        self.toggle(side, kind, Bitboard::of(from) | Bitboard::of(to));
        self.by_point[from.index()] = None;
        self.by_point[to.index()] = Some(kind);
    }

    #[inline]
    fn toggle(&mut self, side: Side, kind: Kind, squares: Bitboard) {
        self.kinds[kind as usize] ^= squares;
        self.sides[side.index()] ^= squares;
    }

    #[inline]
    fn toggle_lines(&mut self, square: Square) {
        self.ranks[usize::from(square.rank())] ^= 1 << square.file();
        self.files[usize::from(square.file())] ^= 1 << square.rank();
    }

    /// Returns the kind of the piece on a point.
    #[inline]
    pub fn kind_at(&self, square: Square) -> Option<Kind> {
        self.by_point[square.index()]
    }

    /// Returns the piece on a point.
    pub fn piece_at(&self, square: Square) -> Option<(Side, Kind)> {
        let side = if self.sides[0].contains(square) { Side::First } else { Side::Second };
        self.kind_at(square).map(|kind| (side, kind))
    }

    /// Returns the pieces of a side.
    #[inline]
    pub fn side(&self, side: Side) -> Bitboard {
        self.sides[side.index()]
    }

    /// Returns a side's pieces of a kind.
    #[inline]
    pub fn pieces(&self, side: Side, kind: Kind) -> Bitboard {
        self.sides[side.index()] & self.kinds[kind as usize]
    }

    /// Returns the pieces of a kind, of both sides.
    #[inline]
    pub fn kind(&self, kind: Kind) -> Bitboard {
        self.kinds[kind as usize]
    }

    /// Returns all pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// Returns a side's general. Every position has one: `from_fen` sees to it, and no legal move takes it.
    #[inline]
    pub fn general(&self, side: Side) -> Square {
        let generals = self.pieces(side, Kind::General);
        debug_assert!(!generals.is_empty());
        Square::of(generals.0.trailing_zeros() as usize)
    }

    /// Returns where a rook attacks.
    #[inline]
    pub fn rook_attacks(&self, square: Square) -> Bitboard {
        let (rank, file) = self.reach(square);
        on_board(square, rank.rook, file.rook)
    }

    /// Returns where a cannon goes without capturing: as a rook does.
    #[inline]
    pub fn cannon_quiets(&self, square: Square) -> Bitboard {
        self.rook_attacks(square) & !self.occupied()
    }

    /// Returns where a cannon captures: the first piece behind exactly one screen.
    #[inline]
    pub fn cannon_attacks(&self, square: Square) -> Bitboard {
        let (rank, file) = self.reach(square);
        on_board(square, rank.cannon, file.cannon)
    }

    #[inline]
    fn reach(&self, square: Square) -> (Reach, Reach) {
        let (rank, file) = (usize::from(square.rank()), usize::from(square.file()));
        let along_rank = ALONG_RANK[file][usize::from(self.ranks[rank]) & 0x1ff];
        let along_file = ALONG_FILE[rank][usize::from(self.files[file]) & 0x3ff];
        (along_rank, along_file)
    }

    /// Returns where a piece may go by its own way of moving, own pieces as targets included.
    #[inline(always)]
    pub fn destinations(&self, side: Side, kind: Kind, square: Square) -> Bitboard {
        match kind {
            Kind::Pawn => attacks::pawn(side, square),
            Kind::Advisor => attacks::advisor(side, square),
            Kind::Elephant => attacks::elephant(square, self.occupied()),
            Kind::Cannon => self.cannon_quiets(square) | self.cannon_attacks(square),
            Kind::Horse => attacks::horse(square, self.occupied()),
            Kind::Rook => self.rook_attacks(square),
            Kind::General => attacks::general(side, square),
        }
    }

    /// Returns whether a piece moves from one point to another by its own way of moving, unless that is a point of its
    /// own side.
    #[inline]
    pub fn reaches(&self, side: Side, kind: Kind, from: Square, to: Square) -> bool {
        if !matches!(kind, Kind::Rook | Kind::Cannon) {
            return self.destinations(side, kind, from).contains(to);
        }
        let screens = attacks::between(from, to) & self.occupied();
        attacks::lines_through(from).contains(to)
            && match kind == Kind::Cannon && self.kind_at(to).is_some() {
                true => screens.is_one(),
                false => screens.is_empty(),
            }
    }

    /// Returns whether `side`'s general would be attacked on `square` if it came there from `from`, taking what
    /// stands there; with `from` = `square`, whether it is attacked where it is.
    #[inline]
    pub fn is_attacked(&self, side: Side, from: Square, square: Square) -> bool {
        self.is_attacked_after(side, from, square, square)
    }

    /// Returns whether `side`'s general, on `square` by then, would be attacked after a move of its side from `from`
    /// to `to`, taking what stands there.
    #[inline]
    pub fn is_attacked_after(&self, side: Side, from: Square, to: Square, square: Square) -> bool {
        let enemy = self.side(side.other()) & !Bitboard::of(to);
        let horses = self.kind(Kind::Horse) & enemy & attacks::horse_ring(square);
        let pawns = self.kind(Kind::Pawn) & enemy & attacks::pawn_origin(side.other(), square);
        let liners = self.line_pieces() & enemy & attacks::lines_through(square);
        if (horses | pawns | liners).is_empty() {
            return false;
        }
        let occupied = self.occupied() & !Bitboard::of(from) | Bitboard::of(to);
        !pawns.is_empty()
            || { horses }.any(|horse| !occupied.contains(attacks::horse_leg(horse, square)))
            || { liners }.any(|attacker| {
                let screens = attacks::between(square, attacker) & occupied;
                if self.kind(Kind::Cannon).contains(attacker) { screens.is_one() } else { screens.is_empty() }
            })
    }

    /// Returns the pieces that attack a general along ranks and files; a general is one of them on an open file.
    #[inline]
    pub fn line_pieces(&self) -> Bitboard {
        self.kind(Kind::Rook) | self.kind(Kind::Cannon) | self.kind(Kind::General)
    }
}

/// The points of a rank word and a file word through `square`.
#[inline]
fn on_board(square: Square, rank: u16, file: u16) -> Bitboard {
    let along_rank = u128::from(rank) << (9 * square.rank());
    let along_file = FILE_POINTS[usize::from(file) & 0x3ff] << square.file();
    Bitboard(along_rank | along_file)
}
