//! The bare replay of a PGN file by `pgn-reader` and `shakmaty`: every move is resolved and played, nothing is kept.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use pgn_reader::{Reader, SanPlus, Skip, Visitor};
use shakmaty::{Chess, Position};

/// Resolves and plays main lines up to a ply, and counts.
struct Bare {
    limit: usize,
    games: u64,
    plies: u64,
}

impl Visitor for Bare {
    type Tags = ();
    type Movetext = (Chess, usize);
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), (Chess, usize)> {
        self.games += 1;
        ControlFlow::Continue((Chess::default(), 0))
    }

    fn begin_variation(&mut self, _: &mut (Chess, usize)) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn san(&mut self, (board, plies): &mut (Chess, usize), san: SanPlus) -> ControlFlow<()> {
        if *plies == self.limit {
            return ControlFlow::Break(());
        }
        let Ok(m) = san.san.to_move(board) else { return ControlFlow::Break(()) };
        board.play_unchecked(m);
        *plies += 1;
        self.plies += 1;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _: (Chess, usize)) {}
}

/// Returns the games of a file and the plies of their main lines, each up to a limit.
pub fn replay(path: &Path, limit: usize) -> io::Result<(u64, u64)> {
    let mut visitor = Bare { limit, games: 0, plies: 0 };
    let mut reader = Reader::new(File::open(path)?);
    while reader.has_more()? {
        reader.read_game(&mut visitor)?;
    }
    Ok((visitor.games, visitor.plies))
}
