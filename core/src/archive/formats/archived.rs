//! The table of formats and their readers.

use super::{ccbridge, chessbase, coordinates, dhtmlxq, mxq, pgn, position_list, scid, xqf, xqn};
use crate::archive::block::Format;
use crate::archive::{Block, ReadOptions, Sink, Wants};
use crate::chess::Chess;
use crate::game::{Foldable, Replayable};
use crate::xiangqi::Xiangqi;

/// Parses a block of one format, as [`Archived::read_games`] does.
pub type Reader<G> =
    fn(&Block, &ReadOptions, Wants<'_, <G as Replayable>::Token>, Sink<'_, <G as Replayable>::Token>);

/// A game of which archives exist.
pub trait Archived: Replayable + Foldable {
    /// The formats that record this game, each with its reader.
    const READERS: &'static [(Format, Reader<Self>)];

    /// Parses a block and hands each game to `sink`, in order, in one record that is used again for the next game. A
    /// block of another game has none.
    ///
    /// In formats whose tags come before the moves, `wants` is asked first, with a record of the tags alone. A game
    /// that it does not want is skipped.
    fn read_games(
        block: &Block,
        options: &ReadOptions,
        wants: Wants<'_, Self::Token>,
        sink: Sink<'_, Self::Token>,
    ) {
        if let Some((_, read)) = Self::READERS.iter().find(|(format, _)| *format == block.format) {
            read(block, options, wants, sink);
        }
    }

    /// Parses a block and hands each game to `sink`, as [`Archived::read_games`] does with all games wanted.
    fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Self::Token>) {
        Self::read_games(block, options, &mut |_| true, sink);
    }
}

impl Archived for Chess {
    const READERS: &'static [(Format, Reader<Chess>)] = &[
        (Format::Pgn, pgn::read_block::<Chess>),
        (Format::Cbh, |block, options, _, sink| chessbase::read_block(block, options, sink)),
        (Format::Si4, |block, options, _, sink| scid::read_block(block, options, sink)),
    ];
}

impl Archived for Xiangqi {
    const READERS: &'static [(Format, Reader<Xiangqi>)] = &[
        (Format::XiangqiPgn, pgn::read_block::<Xiangqi>),
        (Format::Xqf, |block, options, _, sink| xqf::read_block(block, options, sink)),
        (Format::Cbr, |block, options, _, sink| ccbridge::read_cbr(block, options, sink)),
        (Format::Cbl, |block, options, _, sink| ccbridge::read_cbl(block, options, sink)),
        (Format::Cbf, |block, options, _, sink| ccbridge::read_cbf(block, options, sink)),
        (Format::Mxq, |block, options, _, sink| mxq::read_block(block, options, sink)),
        (Format::DhtmlXq, |block, options, _, sink| dhtmlxq::read_block(block, options, sink)),
        (Format::CoordinateText, |block, options, _, sink| coordinates::read_block(block, options, sink)),
        (Format::Xqn, |block, options, _, sink| xqn::read_block(block, options, sink)),
        (Format::PositionList, |block, options, _, sink| position_list::read_block(block, options, sink)),
    ];
}
