//! Replays one recorded game through the rules: a [`GameRecord`] in, observations and the game's facts out, or a
//! reason why the game cannot be used.
//!
//! The counting rule: within one game a position counts once, whatever the number of times it occurs, with what came
//! last from it: its last move, or [`Move::NONE`] where the game ended (or reached the ply limit) on it. With ply
//! limit L the positions after 0 … L plies are observed. A position is identified as books store it, so in a folded
//! tally a position and its mirror are one.

use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{GameRecord, Start};
use crate::game::{Game, Move, MoveError, Outcome, Symmetry};

/// What a run asks of the replay.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayOptions {
    /// Positions after at most this many plies are observed; `None` = all.
    pub max_ply: Option<u16>,
    /// Resolve moves beyond the ply limit too, so that an illegal one rejects the game.
    pub full_check: bool,
    /// Keep the legal prefix of a bad game instead of dropping it; it then counts with an unknown result.
    pub keep_prefix: bool,
    /// Use games that start from a set-up position; otherwise they are filtered.
    pub custom_starts: bool,
    /// Identify a position with its left-right mirror (xiangqi).
    pub fold: bool,
}

/// One (position, move) of one game, 24 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// Key of the position before the move.
    pub key: u64,
    /// Lock of the position before the move.
    pub lock: u32,
    /// Index of the game's [`GameFacts`] in its run.
    pub game: u32,
    /// The move code; 0 = the game ended here or the ply limit was reached.
    pub played: Move,
    /// First ply at which the game had the position.
    pub ply: u16,
    /// Annotation mark of the move.
    pub mark: i8,
    /// 0 = the first side is to move, 1 = the second.
    pub mover: u8,
}

const _: () = assert!(size_of::<Observation>() == 24);

/// What all observations of a game share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameFacts {
    /// Hash of the moves replayed, players, date and result. Games that differ only beyond the ply limit of a run
    /// that checks prefixes share one.
    pub fingerprint: u64,
    /// Ratings of the first and the second side's player, 0 = unknown.
    pub ratings: [u16; 2],
    /// Year of the game, 0 = unknown.
    pub year: u16,
    /// Plies replayed.
    pub plies: u16,
    /// The recorded result.
    pub outcome: Outcome,
}

impl GameFacts {
    /// Returns the mean of the known ratings, 0 if none is known.
    pub fn mean_rating(&self) -> u16 {
        match self.ratings {
            [0, rating] | [rating, 0] => rating,
            [first, second] => ((u32::from(first) + u32::from(second)) / 2) as u16,
        }
    }
}

/// Why a game is left out by choice, not by fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Filtered {
    /// A variant other than the standard game.
    Variant,
    /// A start from a set-up position.
    CustomStart,
    /// No move was recorded.
    NoMoves,
}

impl Filtered {
    /// Every reason, in the order in which they are asked.
    pub const ALL: [Filtered; 3] = [Filtered::Variant, Filtered::CustomStart, Filtered::NoMoves];

    /// Returns the stable reason code used in reports.
    pub const fn code(self) -> &'static str {
        match self {
            Filtered::Variant => "variant",
            Filtered::CustomStart => "custom-start",
            Filtered::NoMoves => "no-moves",
        }
    }
}

/// Why a game, or the rest of one, could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Stable reason code: `illegal-move`, `ambiguous-move`, `bad-fen`, or the reader's.
    pub reason: &'static str,
    /// Plies before the fault.
    pub ply: usize,
    /// The token that could not be used; empty where the fault is not a token's.
    pub token: String,
    /// What is wrong, in words.
    pub message: String,
}

/// What became of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replayed {
    /// Its observations were appended.
    Used(GameFacts),
    /// It was left out by choice.
    Filtered(Filtered),
    /// It was dropped for a fault; nothing was appended.
    Rejected(Fault),
    /// Its legal prefix was appended and the rest dropped for a fault.
    Prefix(GameFacts, Fault),
}

/// Replays games one by one; owns the scratch space that they share.
#[derive(Debug, Default)]
pub struct Replay {
    options: ReplayOptions,
    /// Bit `k` is set when a position whose key ends in `k` was observed in this game: most are new, and
    /// this says so without a search.
    seen: Seen,
    /// The bytes that the fingerprint is taken of.
    print: Vec<u8>,
}

impl Replay {
    /// Returns a replay with the given options.
    pub fn new(options: ReplayOptions) -> Replay {
        Replay { options, ..Replay::default() }
    }

    /// Replays one game, appends its observations to `out` under the index `game`, and says what became of it.
    pub fn game<G: Game>(
        &mut self,
        record: &GameRecord<G::Token>,
        game: u32,
        out: &mut Vec<Observation>,
    ) -> Replayed {
        if let Some(filtered) = self.filter(record) {
            return Replayed::Filtered(filtered);
        }
        let start = match starting_position::<G>(record) {
            Ok(start) => start,
            Err(fault) => return Replayed::Rejected(fault),
        };
        let first = out.len();
        self.seen.clear();
        self.print.clear();
        let (plies, fault) = self.line(start, record, game, out);
        let fault = fault.or_else(|| reader_fault(record, plies));
        let outcome = if fault.is_some() { Outcome::Unknown } else { record.outcome };
        let facts = self.facts(record, plies, outcome);
        match fault {
            None => Replayed::Used(facts),
            Some(fault) if self.options.keep_prefix && plies > 0 => Replayed::Prefix(facts, fault),
            Some(fault) => {
                out.truncate(first);
                Replayed::Rejected(fault)
            }
        }
    }

    fn filter<T>(&self, record: &GameRecord<T>) -> Option<Filtered> {
        if record.variant.is_some() {
            Some(Filtered::Variant)
        } else if record.start != Start::Standard && !self.options.custom_starts {
            Some(Filtered::CustomStart)
        } else if record.moves.is_empty() && record.defect.is_none() {
            Some(Filtered::NoMoves)
        } else {
            None
        }
    }

    /// Plays the main line and observes its positions; returns the plies played and what stopped them early.
    fn line<G: Game>(
        &mut self,
        mut position: G,
        record: &GameRecord<G::Token>,
        game: u32,
        out: &mut Vec<Observation>,
    ) -> (usize, Option<Fault>) {
        let first = out.len();
        let limit = self.options.max_ply.map_or(usize::MAX, usize::from);
        let resolved = if self.options.full_check { usize::MAX } else { limit };
        let mut plies = 0;
        let mut fault = None;
        for (&token, &mark) in record.moves.iter().zip(&record.marks).take(resolved) {
            let observed = (plies <= limit).then(|| Observed::of(&position, self.options.fold));
            let played = match position.play_token(token) {
                Ok(played) => played,
                Err(error) => {
                    fault = Some(move_fault(&error, plies));
                    // The position before the fault was observed as well: the legal prefix ends on it.
                    if let Some(observed) = observed {
                        self.observe(observed.with::<G>(Move::NONE, plies, 0, game), first, out);
                    }
                    return (plies, fault);
                }
            };
            self.print.extend_from_slice(&played.0.to_le_bytes());
            if let Some(observed) = observed {
                let (played, mark) = if plies < limit { (played, mark) } else { (Move::NONE, 0) };
                self.observe(observed.with::<G>(played, plies, mark, game), first, out);
            }
            plies += 1;
        }
        if plies <= limit {
            let last = Observed::of(&position, self.options.fold).with::<G>(Move::NONE, plies, 0, game);
            self.observe(last, first, out);
        }
        (plies, fault)
    }

    /// Appends an observation, or overwrites what the game did at the same position before.
    fn observe(&mut self, new: Observation, first: usize, out: &mut Vec<Observation>) {
        if self.seen.insert(new.key) {
            let same = |old: &&mut Observation| old.key == new.key && old.lock == new.lock;
            if let Some(old) = out[first..].iter_mut().find(same) {
                (old.played, old.mark) = (new.played, new.mark);
                return;
            }
        }
        out.push(new);
    }

    fn facts<T>(&mut self, record: &GameRecord<T>, plies: usize, outcome: Outcome) -> GameFacts {
        for text in [&record.first_player, &record.second_player, &record.date] {
            self.print.extend_from_slice(text.as_bytes());
            self.print.push(0);
        }
        self.print.push(outcome as u8);
        GameFacts {
            fingerprint: xxh3_64(&self.print),
            ratings: record.ratings,
            year: record.year,
            plies: plies.min(usize::from(u16::MAX)) as u16,
            outcome,
        }
    }
}

/// The stored identity of a position, before it is known what was played from it.
struct Observed {
    key: u64,
    lock: u32,
    symmetry: Symmetry,
    mover: u8,
}

impl Observed {
    fn of<G: Game>(position: &G, fold: bool) -> Observed {
        let mover = position.side() as u8;
        if fold {
            let folded = position.folded();
            Observed { key: folded.key.0, lock: folded.lock.0, symmetry: folded.symmetry, mover }
        } else {
            let (key, lock) = (position.key().0, position.lock().0);
            Observed { key, lock, symmetry: Symmetry::Itself, mover }
        }
    }

    fn with<G: Game>(self, played: Move, plies: usize, mark: i8, game: u32) -> Observation {
        let played = if played == Move::NONE { played } else { G::fold_move(self.symmetry, played) };
        let ply = plies.min(usize::from(u16::MAX)) as u16;
        Observation { key: self.key, lock: self.lock, game, played, ply, mark, mover: self.mover }
    }
}

/// A bitmap over the last ten bits of keys.
#[derive(Debug, Default)]
struct Seen([u64; 16]);

impl Seen {
    fn clear(&mut self) {
        self.0 = [0; 16];
    }

    /// Returns whether a key with the same last ten bits was inserted before.
    fn insert(&mut self, key: u64) -> bool {
        let word = &mut self.0[(key >> 6 & 15) as usize];
        let bit = 1 << (key & 63);
        let seen = *word & bit != 0;
        *word |= bit;
        seen
    }
}

/// Returns the position that a game starts from.
///
/// # Errors
/// A fault where its FEN breaks a rule.
pub(crate) fn starting_position<G: Game>(record: &GameRecord<G::Token>) -> Result<G, Fault> {
    match &record.start {
        Start::Standard => Ok(G::start()),
        Start::Fen(fen) => G::from_fen(fen).map_err(|error| Fault {
            reason: "bad-fen",
            ply: 0,
            token: fen.clone(),
            message: error.reason,
        }),
    }
}

/// Returns the fault of a move that cannot be played after `ply` plies.
pub(crate) fn move_fault(error: &MoveError, ply: usize) -> Fault {
    let (reason, token) = match error {
        MoveError::Syntax(token) => ("bad-move-text", token),
        MoveError::Illegal(token) => ("illegal-move", token),
        MoveError::Ambiguous(token) => ("ambiguous-move", token),
    };
    Fault { reason, ply, token: token.clone(), message: format!("{error}, after {ply} plies") }
}

/// Returns the reader's complaint, where the moves it could read were all that the run asked for.
pub(crate) fn reader_fault<T>(record: &GameRecord<T>, ply: usize) -> Option<Fault> {
    record.defect.as_ref().map(|defect| Fault {
        reason: defect.reason,
        ply,
        token: String::new(),
        message: format!("{} (at byte {})", defect.message, defect.offset),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Chess, SanNotation};
    use crate::game::Notation;
    use shakmaty::san::San;

    fn record(moves: &str, outcome: Outcome) -> GameRecord<San> {
        let moves: Vec<San> =
            moves.split_whitespace().map(|text| San::from_ascii(text.as_bytes()).unwrap()).collect();
        GameRecord { marks: vec![0; moves.len()], moves, outcome, ..GameRecord::default() }
    }

    fn replay(options: ReplayOptions, record: &GameRecord<San>) -> (Replayed, Vec<Observation>) {
        let mut out = Vec::new();
        (Replay::new(options).game::<Chess>(record, 0, &mut out), out)
    }

    #[test]
    fn a_repeated_position_counts_once_with_its_last_move() {
        let game = record("Nf3 Nf6 Ng1 Ng8 e4", Outcome::Draw);
        let (_, out) = replay(ReplayOptions::default(), &game);
        let start = Chess::start();
        let e4 = SanNotation.parse(&start, "e4").unwrap();
        let at_start: Vec<_> = out.iter().filter(|o| o.key == start.key().0).collect();
        assert_eq!(at_start.len(), 1);
        assert_eq!((at_start[0].played, at_start[0].ply), (e4, 0));
        assert_eq!(out.len(), 5);
    }

    #[test]
    fn the_position_after_the_ply_limit_has_no_move() {
        let game = record("e4 e5 Nf3 Nc6", Outcome::FirstWins);
        let (_, out) = replay(ReplayOptions { max_ply: Some(2), ..Default::default() }, &game);
        let moves: Vec<bool> = out.iter().map(|o| o.played == Move::NONE).collect();
        assert_eq!(moves, [false, false, true]);
    }

    #[test]
    fn a_game_shorter_than_the_limit_ends_with_no_move() {
        let game = record("e4 e5", Outcome::FirstWins);
        let (_, out) = replay(ReplayOptions { max_ply: Some(30), ..Default::default() }, &game);
        assert_eq!(out.len(), 3);
        assert_eq!(out[2].played, Move::NONE);
    }

    #[test]
    fn an_illegal_move_rejects_the_game_and_says_where() {
        let game = record("e4 e5 Ke3", Outcome::FirstWins);
        let (replayed, out) = replay(ReplayOptions::default(), &game);
        let Replayed::Rejected(fault) = replayed else { panic!("{replayed:?}") };
        assert_eq!((fault.reason, fault.ply, fault.token.as_str()), ("illegal-move", 2, "Ke3"));
        assert!(out.is_empty());
    }

    #[test]
    fn a_prefix_is_kept_on_request_with_an_unknown_result() {
        let game = record("e4 e5 Ke3", Outcome::FirstWins);
        let (replayed, out) = replay(ReplayOptions { keep_prefix: true, ..Default::default() }, &game);
        let Replayed::Prefix(facts, _) = replayed else { panic!("{replayed:?}") };
        assert_eq!((facts.plies, facts.outcome, out.len()), (2, Outcome::Unknown, 3));
    }

    #[test]
    fn moves_beyond_the_limit_matter_only_when_fully_checked() {
        let game = record("e4 e5 Ke3", Outcome::FirstWins);
        let limited = ReplayOptions { max_ply: Some(2), ..Default::default() };
        assert!(matches!(replay(limited, &game).0, Replayed::Used(_)));
        let full = ReplayOptions { full_check: true, ..limited };
        assert!(matches!(replay(full, &game).0, Replayed::Rejected(_)));
    }

    #[test]
    fn full_check_observes_what_a_prefix_check_observes() {
        let game = record("e4 e5 Nf3 Nc6 Bb5", Outcome::FirstWins);
        let limited = ReplayOptions { max_ply: Some(3), ..Default::default() };
        let full = ReplayOptions { full_check: true, ..limited };
        assert_eq!(replay(limited, &game).1, replay(full, &game).1);
    }

    #[test]
    fn variants_and_set_up_positions_are_filtered_by_default() {
        let mut game = record("e4", Outcome::Draw);
        game.variant = Some("Atomic".to_owned());
        assert_eq!(replay(ReplayOptions::default(), &game).0, Replayed::Filtered(Filtered::Variant));
        game.variant = None;
        game.start = Start::Fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned());
        assert_eq!(replay(ReplayOptions::default(), &game).0, Replayed::Filtered(Filtered::CustomStart));
        let custom = ReplayOptions { custom_starts: true, ..Default::default() };
        assert!(matches!(replay(custom, &game).0, Replayed::Used(_)));
    }
}
