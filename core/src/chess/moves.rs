//! Legal moves as codes, captures and promotions apart from the rest, and the answer for a single code.
//!
//! `shakmaty` lists all legal moves at once. A search needs the noisy moves first, often only these, and checks whether a
//! single move is legal. The tests compare both with `shakmaty`'s list.

use shakmaty::{
    Bitboard, Board, CastlingSide, Color, EnPassantMode, Piece, Position as _, Rank, Role, Square, attacks,
};

use crate::game::{Move, MoveList};

/// Which of the legal moves are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Captures and promotions.
    Noisy,
    /// All others.
    Quiet,
}

/// Codes of the pieces a pawn becomes, queen first.
const PROMOTIONS: [u16; 4] = [4, 3, 2, 1];

/// What decides the legality of the side to move's moves.
struct Rules<'a> {
    position: &'a shakmaty::Chess,
    board: &'a Board,
    us: Color,
    king: Square,
    /// Where pieces other than the king may go: anywhere, or against a check.
    answers: Bitboard,
    pinned: Bitboard,
    checkers: Bitboard,
}

impl<'a> Rules<'a> {
    fn of(position: &'a shakmaty::Chess) -> Option<Rules<'a>> {
        let (board, us) = (position.board(), position.turn());
        let king = board.king_of(us)?;
        let checkers = position.checkers();
        let answers = match checkers.single_square() {
            _ if checkers.is_empty() => Bitboard::FULL,
            Some(checker) => attacks::between(king, checker) | checkers,
            None => Bitboard::EMPTY,
        };
        let pinned = screens(board, board.by_color(!us), king) & board.by_color(us);
        Some(Rules { position, board, us, king, answers, pinned, checkers })
    }

    /// Returns the squares that a piece may move to without exposing its king.
    fn allowed(&self, from: Square) -> Bitboard {
        let line = if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL };
        self.answers & line
    }

    fn is_safe_for_king(&self, to: Square) -> bool {
        let occupied = self.board.occupied().without(self.king);
        self.board.attacks_to(to, !self.us, occupied).is_empty()
    }

    fn generate(&self, wanted: Wanted, moves: &mut MoveList) {
        let (own, theirs) = (self.board.by_color(self.us), self.board.by_color(!self.us));
        let targets = if wanted == Wanted::Noisy { theirs } else { !self.board.occupied() };
        self.pawn_moves(wanted, moves);
        if self.answers.any() {
            self.pieces(own & self.board.knights() & !self.pinned, targets, moves, attacks::knight_attacks);
            let occupied = self.board.occupied();
            let slides =
                |role| move |from| attacks::attacks(from, Piece { color: Color::White, role }, occupied);
            self.pieces(own & self.board.bishops(), targets, moves, slides(Role::Bishop));
            self.pieces(own & self.board.rooks(), targets, moves, slides(Role::Rook));
            self.pieces(own & self.board.queens(), targets, moves, slides(Role::Queen));
        }
        for to in attacks::king_attacks(self.king) & targets {
            if self.is_safe_for_king(to) {
                moves.push(code(self.king, to));
            }
        }
        if wanted == Wanted::Quiet && self.checkers.is_empty() && self.position.castles().any() {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                moves.extend(self.position.castling_moves(side).iter().map(|&m| encode(m)));
            }
        }
    }

    #[inline]
    fn pieces(
        &self,
        from: Bitboard,
        targets: Bitboard,
        moves: &mut MoveList,
        reach: impl Fn(Square) -> Bitboard,
    ) {
        for from in from {
            for to in reach(from) & targets & self.allowed(from) {
                moves.push(code(from, to));
            }
        }
    }

    fn pawn_moves(&self, wanted: Wanted, moves: &mut MoveList) {
        let empty = !self.board.occupied();
        let last = Bitboard::from_rank(if self.us.is_white() { Rank::Eighth } else { Rank::First });
        let third = Bitboard::from_rank(if self.us.is_white() { Rank::Third } else { Rank::Sixth });
        let pawns = self.board.by_color(self.us) & self.board.pawns();
        let forward = if self.us.is_white() { 8 } else { -8 };
        let single = shift(pawns, forward) & empty;
        if wanted == Wanted::Quiet {
            self.pushes(single & !last, forward, moves);
            self.pushes(shift(single & third, forward) & empty, 2 * forward, moves);
            return;
        }
        for to in single & last & self.answers {
            self.promote(Square::new((to as i32 - forward) as u32), to, moves);
        }
        let theirs = self.board.by_color(!self.us);
        for from in pawns {
            for to in attacks::pawn_attacks(self.us, from) & theirs & self.allowed(from) {
                if last.contains(to) { self.promote(from, to, moves) } else { moves.push(code(from, to)) }
            }
        }
        if let Some(to) = self.position.ep_square(EnPassantMode::PseudoLegal) {
            for from in attacks::pawn_attacks(!self.us, to) & pawns {
                if self.is_en_passant_safe(from, to) {
                    moves.push(code(from, to));
                }
            }
        }
    }

    fn pushes(&self, targets: Bitboard, by: i32, moves: &mut MoveList) {
        for to in targets & self.answers {
            let from = Square::new((to as i32 - by) as u32);
            if !self.pinned.contains(from) || attacks::ray(self.king, from).contains(to) {
                moves.push(code(from, to));
            }
        }
    }

    fn promote(&self, from: Square, to: Square, moves: &mut MoveList) {
        if self.allowed(from).contains(to) {
            let plain = code(from, to).0;
            moves.extend(PROMOTIONS.map(|promotion| Move(promotion << 12 | plain)));
        }
    }

    /// Two pawns leave one rank at once: the king is looked at on the board as it would be.
    fn is_en_passant_safe(&self, from: Square, to: Square) -> bool {
        let taken = Square::from_coords(to.file(), from.rank());
        let occupied = self.board.occupied().without(from).without(taken).with(to);
        self.board.attacks_to(self.king, !self.us, occupied).without(taken).is_empty()
    }

    /// Returns whether a move that is neither castling nor en passant is legal.
    fn allows(&self, role: Role, from: Square, to: Square, is_promotion: bool) -> bool {
        let own = self.board.by_color(self.us);
        if !own.contains(from) || own.contains(to) {
            return false;
        }
        match role {
            Role::King => {
                !is_promotion && attacks::king_attacks(from).contains(to) && self.is_safe_for_king(to)
            }
            Role::Pawn => {
                let is_last = matches!(to.rank(), Rank::First | Rank::Eighth);
                is_promotion == is_last && self.pawn_reaches(from, to) && self.allowed(from).contains(to)
            }
            _ => {
                let piece = Piece { color: self.us, role };
                let reach = attacks::attacks(from, piece, self.board.occupied());
                !is_promotion && reach.contains(to) && self.allowed(from).contains(to)
            }
        }
    }

    fn pawn_reaches(&self, from: Square, to: Square) -> bool {
        let occupied = self.board.occupied();
        if from.file() != to.file() {
            return attacks::pawn_attacks(self.us, from).contains(to) && occupied.contains(to);
        }
        let forward = if self.us.is_white() { 8 } else { -8 };
        let step = to as i32 - from as i32;
        let home = if self.us.is_white() { Rank::Second } else { Rank::Seventh };
        if step == forward {
            return !occupied.contains(to);
        }
        let between = Square::new((from as i32 + step / 2) as u32);
        step == 2 * forward && from.rank() == home && !occupied.contains(between) && !occupied.contains(to)
    }
}

/// Which quiet moves of the side to move give check.
pub(super) struct Checks<'a> {
    board: &'a Board,
    king: Square,
    /// Whence each piece attacks it, pawn first.
    origins: [Bitboard; 5],
    /// Own pieces that alone stand between it and an own slider.
    screens: Bitboard,
    own: Bitboard,
}

impl<'a> Checks<'a> {
    pub(super) fn of(position: &'a shakmaty::Chess) -> Option<Checks<'a>> {
        let (board, us) = (position.board(), position.turn());
        let king = board.king_of(!us)?;
        let own = board.by_color(us);
        let occupied = board.occupied();
        let (diagonal, straight) =
            (attacks::bishop_attacks(king, occupied), attacks::rook_attacks(king, occupied));
        let origins = [
            attacks::pawn_attacks(!us, king),
            attacks::knight_attacks(king),
            diagonal,
            straight,
            diagonal | straight,
        ];
        Some(Checks { board, king, origins, screens: screens(board, own, king) & own, own })
    }

    /// Returns whether a legal quiet move gives check; `None` for castling, which moves two pieces.
    pub(super) fn by(&self, m: Move) -> Option<bool> {
        let (from, to) = squares(m);
        if self.own.contains(to) {
            return None;
        }
        let role = self.board.role_at(from)? as usize - 1;
        let is_direct = self.origins.get(role).is_some_and(|origins| origins.contains(to));
        let uncovers = self.screens.contains(from) && !attacks::ray(self.king, from).contains(to);
        Some(is_direct || uncovers)
    }
}

pub(super) fn generate(position: &shakmaty::Chess, wanted: Wanted, moves: &mut MoveList) {
    moves.clear();
    if let Some(rules) = Rules::of(position) {
        rules.generate(wanted, moves);
    }
}

/// Returns whether a move is legal in this position.
pub(super) fn allows(position: &shakmaty::Chess, m: shakmaty::Move) -> bool {
    match m {
        shakmaty::Move::Normal { role, from, to, promotion, .. } => {
            Rules::of(position).is_some_and(|rules| rules.allows(role, from, to, promotion.is_some()))
        }
        _ => position.is_legal(m),
    }
}

/// Returns the pieces that alone stand between a king and one of `sliders`' rooks, bishops and queens.
#[inline]
pub(crate) fn screens(board: &Board, sliders: Bitboard, king: Square) -> Bitboard {
    let empty = Bitboard::EMPTY;
    let snipers = sliders
        & (attacks::rook_attacks(king, empty) & board.rooks_and_queens()
            | attacks::bishop_attacks(king, empty) & board.bishops_and_queens());
    let between = snipers.into_iter().map(|sniper| attacks::between(king, sniper) & board.occupied());
    between.filter(|between| !between.more_than_one()).fold(empty, |screens, between| screens | between)
}

fn code(from: Square, to: Square) -> Move {
    Move((from as u16) << 6 | to as u16)
}

fn shift(squares: Bitboard, by: i32) -> Bitboard {
    Bitboard(if by > 0 { squares.0 << by } else { squares.0 >> -by })
}

/// Returns the origin and the target of a code.
#[inline]
pub(crate) fn squares(m: Move) -> (Square, Square) {
    (Square::new(u32::from(m.0 >> 6 & 63)), Square::new(u32::from(m.0 & 63)))
}

/// Returns the 16-bit code of a move.
pub fn encode(m: shakmaty::Move) -> Move {
    let promotion = m.promotion().map_or(0, |role| role as u16 - Role::Pawn as u16);
    let from = m.from().map_or(0, |square| square as u16);
    Move(promotion << 12 | from << 6 | m.to() as u16)
}
