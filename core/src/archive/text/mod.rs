//! Text of archives: its encodings, its game, and where it can be cut.
//!
//! | file | step |
//! |---|---|
//! | `plain` | UTF-16, damaged text and texts of binary formats → text that can be cut, strings |
//! | `recognise` | the head of a text → the kind of PGN that it is |
//! | `begin` | a line of PGN text → whether it is one of tags, and whether a game begins there |
//! | `fold` | signs of typographers and input methods → ASCII signs |
//! | `cut` | PGN text → blocks that end where a game ends |

pub(super) mod begin;
pub(super) mod cut;
pub(super) mod fold;
pub(super) mod plain;
pub(super) mod recognise;
