//! Rulings on repeated positions: the codes of rules, and the verdict of a code on one cycle.

use super::Side;
use crate::named::named_enum;

named_enum! {
    /// By which code the repeated positions of xiangqi are judged. In chess every repetition is a draw.
    #[derive(Default)]
    pub enum RepetitionRule {
        /// Asian Xiangqi Federation, 2003: perpetual check and the perpetual chase of one piece lose.
        #[default]
        Axf => "axf",
        /// Chinese Xiangqi Association, 1999: any series of checks, threats of mate and chases loses.
        Cxa => "cxa",
        /// Perpetual check loses, all else draws.
        CheckOnly => "check-only",
        /// Every repetition is a draw.
        None => "none",
    }
}

/// What the moves between two occurrences of a position amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ruling {
    /// The side that has to change its moves and loses if it does not; `None`: a draw.
    pub loser: Option<Side>,
    /// The article that says so.
    pub article: Article,
    /// Where the piece stands that every move of the loser chases, as the game counts its points; `None` where the
    /// article is not about a chase.
    pub victim: Option<u8>,
}

impl Ruling {
    /// Returns a ruling that names no victim.
    pub const fn new(loser: Option<Side>, article: Article) -> Ruling {
        Ruling { loser, article, victim: None }
    }
}

named_enum! {
    /// The article of a code that decides a repetition; chases in ascending gravity.
    pub enum Article {
        /// No code, or chess: a repeated position is a draw.
        Repetition => "repetition",
        /// Neither side does what the code forbids.
        NothingForbidden => "nothing-forbidden",
        /// One side checks with every move.
        PerpetualCheck => "perpetual-check",
        /// Both sides check with every move.
        MutualPerpetualCheck => "mutual-perpetual-check",
        /// One side chases one and the same piece with every move, at times only by taking away its protection: less
        /// grave than a chase by new attacks.
        PerpetualUndermining => "perpetual-undermining",
        /// One side chases one and the same piece with every move.
        PerpetualChase => "perpetual-chase",
        /// One side chases, with every move, a rook that a horse pins: graver than any other chase.
        PinnedRookChase => "pinned-rook-chase",
        /// Both sides chase with every move, equally gravely.
        MutualPerpetualChase => "mutual-perpetual-chase",
        /// Every move of one side is a check, a threat of mate or a chase.
        ForbiddenSeries => "forbidden-series",
        /// Every move of both sides is a check, a threat of mate or a chase.
        MutualForbiddenSeries => "mutual-forbidden-series",
    }
}

impl Article {
    /// The number of the article in the AXF's rules; `None` if it has no number.
    ///
    /// Source: Asian Chinese Chess Rules, chapter 4 (AXF 2003), in the English text of the World Xiangqi Federation.
    pub const fn axf_number(self) -> Option<&'static str> {
        match self {
            Article::NothingForbidden => Some("5"),
            Article::PerpetualCheck => Some("6"),
            Article::MutualPerpetualCheck => Some("7"),
            Article::PerpetualChase => Some("15-36"),
            Article::PinnedRookChase => Some("19"),
            Article::PerpetualUndermining => Some("appendix"),
            Article::Repetition
            | Article::MutualPerpetualChase
            | Article::ForbiddenSeries
            | Article::MutualForbiddenSeries => None,
        }
    }
}
