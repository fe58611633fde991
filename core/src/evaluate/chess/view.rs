//! One side of a chess position: its men and the squares that they attack.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, Color, Position as _, Role, Square, attacks};

use super::pawns::{self, Structure};

/// Most pieces of a side besides king and pawns.
pub(super) const MOST_PIECES: usize = 15;

/// One side's men and the squares that they attack or guard.
pub(in crate::evaluate) struct View<'a> {
    pub board: &'a Board,
    pub(super) color: Color,
    pub(super) sign: i32,
    pub own: Bitboard,
    pub(super) pawns: Bitboard,
    pub king: Square,
    /// By role, pawn first.
    pub seen: [Bitboard; 6],
    pub all_seen: Bitboard,
    /// Squares that two men see.
    pub seen_twice: Bitboard,
    /// Squares that two pawns guard.
    pub guarded_twice: Bitboard,
    /// Rights to castle.
    pub(super) castles: i32,
    /// Knights to queens with what each sees.
    pub pieces: ArrayVec<(Role, Square, Bitboard), MOST_PIECES>,
}

impl<'a> View<'a> {
    pub(super) fn new(game: &'a shakmaty::Chess, color: Color, structure: &Structure) -> View<'a> {
        let board = game.board();
        let own = board.by_color(color);
        // Both kings stand on the board in every position that `Chess` can hold.
        let king = board.king_of(color).unwrap_or(Square::A1);
        let mut seen = [Bitboard::EMPTY; 6];
        seen[0] = structure.attacks[usize::from(color.is_black())];
        seen[5] = attacks::king_attacks(king);
        let pawns = own & board.pawns();
        let guarded_twice = pawns::attacked_twice(pawns, color);
        let mut all_seen = seen[0] | seen[5];
        let mut seen_twice = guarded_twice | seen[0] & seen[5];
        let mut pieces = ArrayVec::new();
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for square in own & board.by_role(role) {
                let reach = reach(role, square, board.occupied());
                seen[role as usize - 1] |= reach;
                seen_twice |= all_seen & reach;
                all_seen |= reach;
                // Room for all: no side has more than fifteen pieces besides its king.
                let _ = pieces.try_push((role, square, reach));
            }
        }
        let castles = (game.castles().castling_rights() & own).count() as i32;
        let sign = if color.is_white() { 1 } else { -1 };
        View {
            board,
            color,
            sign,
            own,
            pawns,
            king,
            seen,
            all_seen,
            seen_twice,
            guarded_twice,
            castles,
            pieces,
        }
    }

    /// Returns squares moved one rank ahead.
    pub(super) fn forward(&self, squares: Bitboard) -> Bitboard {
        Bitboard(if self.color.is_white() { squares.0 << 8 } else { squares.0 >> 8 })
    }

    /// Returns what is seen by anything but the king.
    pub(super) fn seen_by_men(&self) -> Bitboard {
        self.seen[..5].iter().fold(Bitboard::EMPTY, |all, &some| all | some)
    }

    pub fn of(&self, role: Role) -> Bitboard {
        self.own & self.board.by_role(role)
    }

    /// The wing of the own king: its file and the adjacent files, without the last three ranks.
    pub fn wing(&self) -> Bitboard {
        let file = (self.king.file() as u64).clamp(1, 6);
        let near = if self.color.is_white() { 0x0000_00ff_ffff_ffff } else { 0xffff_ffff_ff00_0000 };
        Bitboard((0x0707_0707_0707_0707 << (file - 1)) & near)
    }

    /// Returns the last square of the pawns where they are all on one rook's file and have no help but of bishops that
    /// never see that square.
    pub(super) fn corner_needed(&self) -> Option<Square> {
        let corner = [Square::A8, Square::H8]
            .into_iter()
            .find(|corner| (self.pawns & !Bitboard::from_file(corner.file())).is_empty())?;
        let corner = if self.color.is_white() { corner } else { corner.flip_vertical() };
        let rest = self.own & !self.pawns & !Bitboard::from(self.king);
        let bishops = self.of(Role::Bishop);
        let covers = bishops.into_iter().any(|bishop| bishop.is_light() == corner.is_light());
        (self.pawns.any() && rest == bishops && !covers).then_some(corner)
    }
}

pub(super) fn reach(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => attacks::knight_attacks(square),
        Role::Bishop => attacks::bishop_attacks(square, occupied),
        Role::Rook => attacks::rook_attacks(square, occupied),
        _ => attacks::queen_attacks(square, occupied),
    }
}
