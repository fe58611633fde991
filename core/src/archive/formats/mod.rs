//! Readers of the formats of archives. Each turns a block into the records of its games.
//!
//! | file | step |
//! |---|---|
//! | `archived` | the format of a block → its reader |
//! | `pgn`, `chessbase`, `scid`, `xqf`, `ccbridge`, `mxq`, `dhtmlxq`, `coordinates`, `xqn`, `position_list` | block → records, one file or folder a format |
//! | `cursor` | fields of binary formats |
//! | `board`, `database` | what ChessBase and Scid have in common |
//! | `lines` | what readers of binary formats put into a record: moves, variations, notes |
//! | `placement`, `facts` | the same for xiangqi: start, tags |

pub(super) mod archived;
mod board;
pub(super) mod ccbridge;
pub(super) mod chessbase;
pub(super) mod coordinates;
pub(super) mod cursor;
mod database;
pub(super) mod dhtmlxq;
mod facts;
mod lines;
pub(super) mod mxq;
pub mod pgn;
mod placement;
pub(super) mod position_list;
pub(super) mod scid;
pub(super) mod xqf;
mod xqn;
