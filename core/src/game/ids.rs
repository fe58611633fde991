//! The names of the two games.

/// Which of the two games a file, a position or a run belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GameId {
    /// Western chess.
    Chess = 0,
    /// Chinese chess.
    Xiangqi = 1,
}

impl GameId {
    /// The name used in files, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            GameId::Chess => "chess",
            GameId::Xiangqi => "xiangqi",
        }
    }
}
