//! The footer of a run file: the blocks of the file and where they are.

use xxhash_rust::xxh3::xxh3_64;

use super::coding::{Taker, put};
use super::storage::KeyRange;
use crate::tally::run::cutting::Place;

pub(super) const MAGIC: &[u8; 8] = b"BBRUN\0\0\x03";
pub(super) const TRAILER_BYTES: u64 = 24;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Rows of the tally.
    Rows,
    /// Games.
    Games,
    /// Rejects, a line of JSON each.
    Rejects,
    /// Rejected games as they stand.
    Rejected,
    /// The figures of a batch, one JSON object.
    Figures,
}

const KINDS: [Kind; 5] = [Kind::Rows, Kind::Games, Kind::Rejects, Kind::Rejected, Kind::Figures];

/// Where a block is and what it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section {
    pub kind: Kind,
    pub range: KeyRange,
    pub items: u64,
    pub offset: u64,
    pub bytes: usize,
    pub inflated: usize,
    pub checksum: u64,
}

/// What the footer says.
#[derive(Debug)]
pub(super) struct Footer {
    /// The place after the batch.
    pub end: Place,
    pub observations: u64,
    pub sections: Vec<Section>,
}

impl Footer {
    /// Returns the footer and the trailer as bytes, for a footer that begins at `start`.
    pub fn encode(&self, start: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let place = [u64::from(self.end.source), self.end.sequence, self.end.games_read, self.end.games_used];
        place.into_iter().chain([self.observations]).for_each(|number| put(&mut bytes, number));
        put(&mut bytes, self.sections.len() as u64);
        for section in &self.sections {
            let Section { kind, range, items, offset, bytes: size, inflated, checksum } = *section;
            let numbers = [range.first, range.last, items, offset, size as u64, inflated as u64];
            put(&mut bytes, kind as u64);
            numbers.into_iter().for_each(|number| put(&mut bytes, number));
            bytes.extend_from_slice(&checksum.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&start.to_le_bytes());
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        bytes
    }

    /// Returns the footer that [`Footer::encode`] wrote, given without the trailer; `None` for other bytes.
    pub fn parse(bytes: &[u8]) -> Option<Footer> {
        let mut taker = Taker::new(bytes);
        let end = Place {
            source: taker.small()?,
            sequence: taker.number()?,
            games_read: taker.number()?,
            games_used: taker.number()?,
        };
        let observations = taker.number()?;
        let count = taker.number()?;
        let mut sections = Vec::new();
        for _ in 0..count {
            sections.push(Section {
                kind: *KINDS.get(taker.small::<usize>()?)?,
                range: KeyRange { first: taker.number()?, last: taker.number()? },
                items: taker.number()?,
                offset: taker.number()?,
                bytes: taker.small()?,
                inflated: taker.small()?,
                checksum: taker.fixed(8)?,
            });
        }
        taker.is_empty().then_some(Footer { end, observations, sections })
    }
}

/// Returns where the footer begins, as the last bytes of a run file say.
pub fn footer_start(last: &[u8]) -> Option<u64> {
    parse_trailer(last).map(|(start, _)| start)
}

/// Returns where the footer begins and its checksum.
pub(super) fn parse_trailer(last: &[u8]) -> Option<(u64, u64)> {
    let trailer = last.last_chunk::<{ TRAILER_BYTES as usize }>()?;
    let mut taker = Taker::new(trailer);
    let found = taker.fixed(8).zip(taker.fixed(8))?;
    trailer.ends_with(MAGIC).then_some(found)
}
