//! Text of archives: its encodings, its game, and where it can be cut.
//!
//! | file | step |
//! |---|---|
//! | `plain` | UTF-16 and damaged text → text that can be cut |
//! | `signs` | the head of a text → the kind of PGN that it is |
//! | `tag_line` | a line of PGN text → whether it is one of tags, or an aside among them |
//! | `begin` | a line of PGN text → whether a game begins there |
//! | `cut` | PGN text → blocks that end where a game ends |
//! | `legacy` | texts of binary formats → strings |

pub(super) mod begin;
pub(super) mod cut;
pub(super) mod legacy;
pub(super) mod plain;
pub(super) mod signs;
pub(super) mod tag_line;
