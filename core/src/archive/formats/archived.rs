//! A block in, records out through the reader of its format.

use super::{ccbridge, coordinates, dhtmlxq, mxq, pgn, position_list, servers, xqf, xqn};
use crate::archive::block::Format;
use crate::archive::{Block, GameRecord, ReadOptions};
use crate::chess::Chess;
use crate::game::{Foldable, Replayable};
use crate::xiangqi::Xiangqi;

/// A game of which archives exist.
pub trait Archived: Replayable + Foldable {
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
