//! The formats of CCBridge (象棋桥): single records (CBR), libraries of records (CBL), the compressed libraries of its
//! first versions (also CBL) and records in XML (CBF).
//!
//! | file | content |
//! |---|---|
//! | `record` | one binary record: CBR, and what a CBL library holds |
//! | `library` | a CBL library: pages of records, or one zlib stream (2001 to 2009) |
//! | `xml` | CBF |

mod library;
mod record;
mod xml;

#[cfg(test)]
mod tests;

use super::cursor::Cursor;
use crate::archive::{Block, ReadOptions, Sink};
use crate::xiangqi::Token;

pub(in crate::archive) use xml::read_block as read_cbf;

/// First bytes of a library.
const LIBRARY_MAGIC: &[u8] = b"CCBridgeLibrary\0";

/// First bytes of a library of the first versions; the kind of its content follows.
const OLD_LIBRARY_MAGIC: &[u8] = b"CCBridge\x15\0\0\0";

pub(in crate::archive) fn is_library(head: &[u8]) -> bool {
    head.starts_with(LIBRARY_MAGIC) || head.starts_with(OLD_LIBRARY_MAGIC)
}

pub(in crate::archive) fn is_record(head: &[u8]) -> bool {
    head.starts_with(record::MAGIC)
}

pub(in crate::archive) fn read_cbr(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let mut game = record::read(&block.bytes, block.offset, options);
    let rest = Cursor::new(&block.bytes[game.length as usize..], block.offset + game.length);
    game.defect = game.defect.or(rest.end().err());
    game.length = block.bytes.len() as u64;
    sink(&game);
}

pub(in crate::archive) fn read_cbl(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    match block.bytes.starts_with(OLD_LIBRARY_MAGIC) {
        true => library::read_old(block, options, sink),
        false => library::read_pages(block, options, sink),
    }
}
