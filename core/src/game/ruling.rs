//! Rulings on repeated positions: the codes of rules, and the verdict of a code on one cycle.

use super::Side;

/// By which code the repeated positions of xiangqi are judged. In chess every repetition is a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RepetitionRule {
    /// Asian Xiangqi Federation, 2003: perpetual check and the perpetual chase of one piece lose.
    #[default]
    Axf,
    /// Chinese Xiangqi Association, 1999: any series of checks, threats of mate and chases loses.
    Cxa,
    /// Perpetual check loses, all else draws.
    CheckOnly,
    /// Every repetition is a draw.
    None,
}

impl RepetitionRule {
    /// All rules, the default first.
    pub const ALL: [RepetitionRule; 4] =
        [RepetitionRule::Axf, RepetitionRule::Cxa, RepetitionRule::CheckOnly, RepetitionRule::None];

    /// The name used on the command line, in protocols and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            RepetitionRule::Axf => "axf",
            RepetitionRule::Cxa => "cxa",
            RepetitionRule::CheckOnly => "check-only",
            RepetitionRule::None => "none",
        }
    }

    /// Returns the rule of a name, in either case.
    pub fn named(name: &str) -> Option<RepetitionRule> {
        RepetitionRule::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(name))
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

/// The article of a code that decides a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Article {
    /// No code, or chess: a repeated position is a draw.
    Repetition,
    /// Neither side does what the code forbids.
    NothingForbidden,
    /// One side checks with every move.
    PerpetualCheck,
    /// Both sides check with every move.
    MutualPerpetualCheck,
    /// One side chases one and the same piece with every move.
    PerpetualChase,
    /// One side chases, with every move, a rook that a horse pins: graver than any other chase.
    PinnedRookChase,
    /// One side chases one and the same piece with every move, at times only by taking away its protection: less grave
    /// than a chase by new attacks.
    PerpetualUndermining,
    /// Both sides chase with every move, equally gravely.
    MutualPerpetualChase,
    /// Every move of one side is a check, a threat of mate or a chase.
    ForbiddenSeries,
    /// Every move of both sides is a check, a threat of mate or a chase.
    MutualForbiddenSeries,
}

impl Article {
    /// The name used in documents, JSON and Python.
    pub const fn name(self) -> &'static str {
        match self {
            Article::Repetition => "repetition",
            Article::NothingForbidden => "nothing-forbidden",
            Article::PerpetualCheck => "perpetual-check",
            Article::MutualPerpetualCheck => "mutual-perpetual-check",
            Article::PerpetualChase => "perpetual-chase",
            Article::PinnedRookChase => "pinned-rook-chase",
            Article::PerpetualUndermining => "perpetual-undermining",
            Article::MutualPerpetualChase => "mutual-perpetual-chase",
            Article::ForbiddenSeries => "forbidden-series",
            Article::MutualForbiddenSeries => "mutual-forbidden-series",
        }
    }

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
