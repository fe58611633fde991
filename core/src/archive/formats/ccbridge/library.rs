//! Reads CBL libraries.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 16 | `CCBridgeLibrary\0` |
//! | 60 | 4 | slots of the index; not the number of games |
//! | 66,624 | 276 each | index |
//! | 66,624 + 276·slots | | records, each from a multiple of 4,096 bytes on |
//!
//! The reader looks for a record at every page, because the index of real libraries is unreliable.

use memchr::memmem;

use super::record::{self, MAGIC};
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink};
use crate::xiangqi::Token;

const INDEX: usize = 66_624;
const SLOT_BYTES: usize = 276;
const PAGE_BYTES: usize = 4096;

/// Parses a library.
pub(super) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let bytes = &block.bytes;
    let start = match data_start(bytes) {
        Ok(start) => start,
        Err(mut defect) => {
            let (offset, length) = (block.offset, bytes.len() as u64);
            defect.offset += offset;
            sink(&GameRecord { defect: Some(defect), ..GameRecord::at(offset, length) });
            return;
        }
    };
    let is_record = |&place: &usize| bytes[place..].starts_with(MAGIC);
    let mut places = (start..bytes.len()).step_by(PAGE_BYTES).filter(is_record).peekable();
    while let Some(place) = places.next() {
        let end = places.peek().copied().unwrap_or(bytes.len());
        sink(&record::read(&bytes[place..end], block.offset + place as u64, options));
    }
}

/// Returns where the first page of records lies: behind the index, or where the first record is if the number of slots
/// is wrong.
fn data_start(bytes: &[u8]) -> Result<usize, Defect> {
    let slots = bytes.get(60..64).and_then(|field| field.try_into().ok()).map_or(0, u32::from_le_bytes);
    let start = (slots as usize).checked_mul(SLOT_BYTES).and_then(|index| index.checked_add(INDEX));
    let known = start.filter(|&start| bytes.get(start..).is_some_and(|rest| rest.starts_with(MAGIC)));
    match known.or_else(|| memmem::find(bytes, MAGIC)).or(start.filter(|&start| start <= bytes.len())) {
        Some(start) => Ok(start),
        None => {
            let message = format!("expected an index of {slots} slots and records behind it");
            Err(Defect::new("truncated", bytes.len() as u64, message))
        }
    }
}
