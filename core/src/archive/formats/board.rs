//! The board of a game of ChessBase or Scid that is being decoded: both name a piece by a number, each in its own way.

use shakmaty::san::San;
use shakmaty::{CastlingSide, Color, File, Piece, Rank, Role, Square};

/// The numbers that a format gives the pieces.
pub(super) trait Numbers: Clone + Default {
    /// Whether castling needs its squares free; the rules look at that too.
    const CASTLES_TO_FREE_SQUARES: bool;

    /// Numbers a piece that is put on a square; returns whether there is a number for it.
    fn put(&mut self, piece: Piece, at: Square) -> bool;

    /// Notes that a piece has gone to another square.
    fn shift(&mut self, piece: Piece, from: Square, to: Square);

    /// Notes that a piece has been captured.
    fn take(&mut self, piece: Piece, at: Square);

    /// Notes that a pawn has become another piece where it stands.
    fn promote(&mut self, pawn: Piece, promoted: Piece, at: Square);
}

/// Pieces, their numbers, and who is to move.
#[derive(Debug, Clone)]
pub(super) struct Board<N> {
    pub(super) pieces: shakmaty::Board,
    pub(super) numbers: N,
    pub(super) turn: Color,
}

impl<N: Numbers> Board<N> {
    pub(super) fn empty(turn: Color) -> Board<N> {
        Board { pieces: shakmaty::Board::empty(), numbers: N::default(), turn }
    }

    /// Puts a piece on an empty square; returns whether there is a number for it.
    pub(super) fn put(&mut self, at: Square, piece: Piece) -> bool {
        self.pieces.set_piece_at(at, piece);
        self.numbers.put(piece, at)
    }

    /// Plays a move; `None` if a piece of the side to move stands on the target, or none on the origin. The move need not
    /// be legal.
    pub(super) fn play(&mut self, from: Square, to: Square, promotion: Option<Role>) -> Option<San> {
        let piece = self.pieces.piece_at(from).filter(|piece| piece.color == self.turn)?;
        let captured = match self.pieces.piece_at(to) {
            Some(own) if own.color == self.turn => return None,
            None if piece.role == Role::Pawn && from.file() != to.file() => {
                Square::from_coords(to.file(), from.rank())
            }
            _ => to,
        };
        let victim = self.pieces.piece_at(captured).filter(|victim| victim.color != self.turn);
        if let Some(victim) = victim {
            self.pieces.discard_piece_at(captured);
            self.numbers.take(victim, captured);
        }
        self.go(from, to, piece);
        if let Some(role) = promotion {
            let promoted = Piece { role, ..piece };
            self.pieces.set_piece_at(to, promoted);
            self.numbers.promote(piece, promoted, to);
        }
        self.turn = self.turn.other();
        let (file, rank) = (Some(from.file()), Some(from.rank()));
        Some(San::Normal { role: piece.role, file, rank, capture: victim.is_some(), to, promotion })
    }

    /// Castles; `None` if king or rook are not where they must be.
    pub(super) fn castle(&mut self, is_short: bool) -> Option<San> {
        let rank = self.turn.fold_wb(Rank::First, Rank::Eighth);
        let (king_to, rook_from, rook_to) =
            if is_short { (File::G, File::H, File::F) } else { (File::C, File::A, File::D) };
        let on = |file| Square::from_coords(file, rank);
        let at = |file| self.pieces.piece_at(on(file));
        let (king, rook) = (self.turn.king(), self.turn.rook());
        let is_ready = (at(File::E), at(rook_from)) == (Some(king), Some(rook));
        let is_free = at(king_to).is_none() && at(rook_to).is_none();
        if !is_ready || N::CASTLES_TO_FREE_SQUARES && !is_free {
            return None;
        }
        self.go(on(File::E), on(king_to), king);
        self.go(on(rook_from), on(rook_to), rook);
        self.turn = self.turn.other();
        Some(San::Castle(CastlingSide::from_king_side(is_short)))
    }

    pub(super) fn pass(&mut self) -> San {
        self.turn = self.turn.other();
        San::Null
    }

    /// Moves a piece to an empty square.
    fn go(&mut self, from: Square, to: Square, piece: Piece) {
        self.pieces.discard_piece_at(from);
        self.pieces.set_piece_at(to, piece);
        self.numbers.shift(piece, from, to);
    }
}
