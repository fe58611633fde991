//! What differs between the games where they are written: names of tags and notations, in one table each.

use super::{Writer, xqf};
use crate::archive::Archived;
use crate::chess::{Chess, LongNotation, SanNotation, UciNotation};
use crate::game::{Game, Move, MoveError, Notated, Notation};
use crate::xiangqi::{ChineseNotation, IccsNotation, WxfNotation, Xiangqi};

/// A notation by the name that the command line gives it.
#[derive(Clone, Copy)]
pub struct Spelling<G: Game> {
    /// Its name, in lower case.
    pub name: &'static str,
    /// Value of the `Format` tag that tells readers which it is, where archives have one.
    pub format_tag: Option<&'static str>,
    /// What writes the moves.
    pub notation: &'static dyn Notation<G>,
}

/// A game that can be written.
pub trait Written: Archived + Notated {
    /// Value of the `Game` tag, where PGN needs one.
    const GAME_TAG: Option<&'static str>;
    /// Tag of the first side's player.
    const FIRST_PLAYER: &'static str;
    /// Tag that some files give the first side's player instead.
    const FIRST_PLAYER_ALIAS: &'static str;
    /// The notations for PGN, the usual one first.
    const SPELLINGS: &'static [Spelling<Self>];
    /// What writes XQF, if the game can be written so.
    const XQF: Option<Writer<Self>>;

    /// Returns the notation of that name, the usual one for `None`.
    fn spelling(name: Option<&str>) -> Option<&'static Spelling<Self>> {
        Self::SPELLINGS.iter().find(|spelling| name.is_none_or(|name| name == spelling.name))
    }
}

impl Written for Chess {
    const GAME_TAG: Option<&'static str> = None;
    const FIRST_PLAYER: &'static str = "White";
    const FIRST_PLAYER_ALIAS: &'static str = "White";
    const SPELLINGS: &'static [Spelling<Chess>] = &[
        Spelling { name: "san", format_tag: None, notation: &SanNotation },
        Spelling { name: "uci", format_tag: None, notation: &UciNotation },
        Spelling { name: "lan", format_tag: None, notation: &LongNotation },
    ];
    const XQF: Option<Writer<Chess>> = None;
}

impl Written for Xiangqi {
    const GAME_TAG: Option<&'static str> = Some("Chinese Chess");
    const FIRST_PLAYER: &'static str = "Red";
    const FIRST_PLAYER_ALIAS: &'static str = "White";
    const SPELLINGS: &'static [Spelling<Xiangqi>] = &[
        Spelling { name: "iccs", format_tag: Some("ICCS"), notation: &DashedIccs },
        Spelling { name: "wxf", format_tag: Some("WXF"), notation: &WxfNotation },
        Spelling { name: "chinese", format_tag: Some("Chinese"), notation: &ChineseNotation::Simplified },
        Spelling {
            name: "chinese-traditional",
            format_tag: Some("Chinese"),
            notation: &ChineseNotation::Traditional,
        },
    ];
    const XQF: Option<Writer<Xiangqi>> = Some(xqf::write_xqf);
}

/// ICCS as PGN has it, `H2-E2`.
struct DashedIccs;

impl Notation<Xiangqi> for DashedIccs {
    fn name(&self) -> &'static str {
        "ICCS"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        IccsNotation.parse(position, text)
    }

    fn format(&self, position: &Xiangqi, m: Move) -> String {
        let mut text = IccsNotation.format(position, m).to_ascii_uppercase();
        if text.len() == 4 {
            text.insert(2, '-');
        }
        text
    }
}
