use proptest::prelude::*;
use shakmaty::CastlingMode;
use shakmaty::fen::Fen;

use super::super::tests::any_san;
use super::*;

/// Resolves a SAN with `shakmaty`, ignoring the capture sign; a capturing pawn names its file.
fn by_shakmaty(board: &shakmaty::Chess, san: San) -> Option<Move> {
    let San::Normal { role, file, rank, to, promotion, .. } = san else { return san.to_move(board).ok() };
    if role == Role::Pawn
        && let (Some(file), Some(rank)) = (file, rank)
        && !board.our(Role::Pawn).contains(Square::from_coords(file, rank))
    {
        let uci = UciMove::Normal { from: Square::from_coords(file, rank), to, promotion };
        return uci.to_move(board).ok();
    }
    let file = if role == Role::Pawn { file.or(Some(to.file())) } else { file };
    let written = |capture| San::Normal { role, file, rank, capture, to, promotion };
    written(true).to_move(board).or_else(|_| written(false).to_move(board)).ok()
}

const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const OPEN: &str = "r3k2r/p1p2pbp/1pnq1np1/3pp3/3PPB2/2NQ1NP1/P1P2PBP/R3K2R w KQkq - 0 1";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn resolving_agrees_with_shakmaty(
        open in any::<bool>(),
        choices in prop::collection::vec(any::<u16>(), 0..120),
        sans in prop::collection::vec(any_san(), 40),
    ) {
        // Castling is rare in random games: half of them begin where it is near, and end soon.
        let (start, plies) = if open { (OPEN, 8) } else { (STANDARD, 120) };
        let fen: Fen = start.parse().unwrap();
        let mut board: shakmaty::Chess = fen.into_position(CastlingMode::Standard).unwrap();
        for choice in choices.into_iter().take(plies) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.play_unchecked(moves[usize::from(choice) % moves.len()]);
        }
        let listed: Vec<San> = board.legal_moves().iter().map(|&m| San::from_move(&board, m)).collect();
        let castling = CastlingSide::ALL.map(San::Castle);
        for san in sans.into_iter().chain(listed).chain(castling) {
            let expected = by_shakmaty(&board, san);
            prop_assert_eq!(resolve(&board, san.into()).ok(), expected, "{} in {:?}", san, board);
        }
    }
}
