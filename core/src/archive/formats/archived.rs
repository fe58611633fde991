//! The formats that blocks come in: a block in, records out through the reader of its format.

use super::{ccbridge, coordinates, dhtmlxq, mxq, pgn, position_list, servers, xqf, xqn};
use crate::archive::{Block, GameRecord, ReadOptions};
use crate::chess::Chess;
use crate::game::{Game, GameId};
use crate::xiangqi::Xiangqi;

/// The format of a block's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable game notation of chess.
    Pgn,
    /// Portable game notation of xiangqi, in UTF-8, GB18030 or Big5.
    XiangqiPgn,
    /// XQStudio's binary xiangqi format.
    Xqf,
    /// One record of CCBridge.
    Cbr,
    /// A library of CCBridge, of any age.
    Cbl,
    /// One record of CCBridge in XML.
    Cbf,
    /// A game of the server 弈天.
    Mxq,
    /// Games in a web page or forum post, as 东萍 writes them.
    DhtmlXq,
    /// Lines of coordinates without spaces.
    CoordinateText,
    /// A log of an engine game with scores between the moves.
    Xqn,
    /// A game of the server of QQ.
    Che,
    /// A game of the server 联众.
    Chn,
    /// A game of the server 中国游戏中心.
    Ccm,
    /// Lines of positions with names.
    PositionList,
}

impl Format {
    /// Returns the game that the format records.
    pub const fn game(self) -> GameId {
        match self {
            Format::Pgn => GameId::Chess,
            _ => GameId::Xiangqi,
        }
    }

    /// Returns what a file of the format is called.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Pgn | Format::XiangqiPgn => "a PGN file",
            Format::Xqf => "an XQF file",
            Format::Cbr => "a CBR file",
            Format::Cbl => "a CBL library",
            Format::Cbf => "a CBF file",
            Format::Mxq => "an MXQ file",
            Format::DhtmlXq => "a DhtmlXQ page",
            Format::CoordinateText => "a text of coordinates",
            Format::Xqn => "an XQN log",
            Format::Che => "a CHE file",
            Format::Chn => "a CHN file",
            Format::Ccm => "a CCM file",
            Format::PositionList => "a list of positions",
        }
    }

    /// Returns the largest file of the format that is read, if it is read as a whole. Known files of one game take under
    /// 1 MB, known libraries under 4 MB; a tree takes up to 30 times its bytes in memory.
    pub const fn max_bytes(self) -> usize {
        match self {
            Format::Cbl | Format::PositionList | Format::DhtmlXq | Format::CoordinateText => 256 << 20,
            _ => 16 << 20,
        }
    }

    /// Returns whether games of this format can be put one after the other in one file.
    pub const fn is_text(self) -> bool {
        matches!(self, Format::Pgn | Format::XiangqiPgn)
    }
}

/// A game of which archives exist.
pub trait Archived: Game {
    /// The formats that record this game.
    const FORMATS: &'static [Format];
    /// That of plain text.
    const PLAIN_TEXT: Format;

    /// Parses a block and hands each game to `sink`, in order, in one record that is used again for the next game.
    /// The caller promises that the block's format is one of [`Archived::FORMATS`].
    ///
    /// Of a format whose tags come before the moves `wants` is asked first, with the tags alone in the record; the
    /// moves of a game it does not want are passed over, and `sink` does not see it.
    fn read_games(
        block: &Block,
        options: &ReadOptions,
        wants: &mut dyn FnMut(&GameRecord<Self::Token>) -> bool,
        sink: &mut dyn FnMut(&GameRecord<Self::Token>),
    );

    /// Parses a block and hands each game to `sink`, as [`Archived::read_games`] does with all games wanted.
    fn read_block(block: &Block, options: &ReadOptions, sink: &mut dyn FnMut(&GameRecord<Self::Token>)) {
        Self::read_games(block, options, &mut |_| true, sink);
    }
}

impl Archived for Chess {
    const FORMATS: &'static [Format] = &[Format::Pgn];
    const PLAIN_TEXT: Format = Format::Pgn;

    fn read_games(
        block: &Block,
        options: &ReadOptions,
        wants: &mut dyn FnMut(&GameRecord<Self::Token>) -> bool,
        sink: &mut dyn FnMut(&GameRecord<Self::Token>),
    ) {
        pgn::read_block::<Chess>(block, options, wants, sink);
    }
}

impl Archived for Xiangqi {
    const FORMATS: &'static [Format] = &[
        Format::XiangqiPgn,
        Format::Xqf,
        Format::Cbr,
        Format::Cbl,
        Format::Cbf,
        Format::Mxq,
        Format::DhtmlXq,
        Format::CoordinateText,
        Format::Xqn,
        Format::Che,
        Format::Chn,
        Format::Ccm,
        Format::PositionList,
    ];
    const PLAIN_TEXT: Format = Format::XiangqiPgn;

    fn read_games(
        block: &Block,
        options: &ReadOptions,
        wants: &mut dyn FnMut(&GameRecord<Self::Token>) -> bool,
        sink: &mut dyn FnMut(&GameRecord<Self::Token>),
    ) {
        match block.format {
            Format::XiangqiPgn => pgn::read_block::<Xiangqi>(block, options, wants, sink),
            Format::Cbr => ccbridge::read_cbr(block, options, sink),
            Format::Cbl => ccbridge::read_cbl(block, options, sink),
            Format::Cbf => ccbridge::read_cbf(block, options, sink),
            Format::Mxq => mxq::read_block(block, options, sink),
            Format::DhtmlXq => dhtmlxq::read_block(block, options, sink),
            Format::CoordinateText => coordinates::read_block(block, options, sink),
            Format::Xqn => xqn::read_block(block, options, sink),
            Format::Che | Format::Chn | Format::Ccm => servers::read_block(block, options, sink),
            Format::PositionList => position_list::read_block(block, options, sink),
            Format::Pgn | Format::Xqf => xqf::read_block(block, options, sink),
        }
    }
}
