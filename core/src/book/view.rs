//! The parts of a book as slices of its bytes, and the checks when a book is opened. The book need not be a file.

use std::path::Path;

use super::error::AGAIN;
use super::layout::{CLUSTERS, Column, Header, INDEX_ENTRIES, RECORD_BYTES, Sections};
use super::probe::RawRecord;
use super::{BookError, Scheme};

/// A book whose header has been read: its bytes and where each part lies.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) header: &'a Header,
    pub(super) sections: &'a Sections,
    pub(super) path: &'a Path,
}

impl<'a> View<'a> {
    /// Returns the records.
    pub(super) fn records(self) -> &'a [RawRecord] {
        self.bytes[self.sections.records.clone()].as_chunks().0
    }

    /// Returns a column, if the book has columns.
    pub(super) fn column(self, column: Column) -> Option<&'a [[u8; 4]]> {
        let range = self.sections.columns.as_ref()?[column as usize].clone();
        Some(self.bytes[range].as_chunks().0)
    }

    /// Returns the cluster index.
    pub(super) fn index(self) -> Index<'a> {
        let index = &self.bytes[self.sections.index.clone()];
        if self.header.is_wide {
            Index::Wide(index.as_chunks().0)
        } else {
            Index::Narrow(index.as_chunks().0)
        }
    }

    /// Returns the recipe.
    pub(super) fn recipe(self) -> Result<&'a str, BookError> {
        let recipe = self.sections.recipe.clone();
        let start = recipe.start;
        std::str::from_utf8(&self.bytes[recipe]).map_err(|error| {
            let offset = start + error.valid_up_to();
            BookError::refused(self.path, format!("the recipe is not UTF-8 at offset {offset}; {AGAIN}"))
        })
    }

    /// Returns the checksums of blocks, if the version has them.
    pub(super) fn sums(self) -> Option<&'a [u8]> {
        Some(&self.bytes[self.sections.sums.clone()?])
    }

    /// Returns the offset of a record in the file.
    pub(super) fn record_offset(self, number: usize) -> u64 {
        (self.sections.records.start + number * RECORD_BYTES) as u64
    }

    /// Returns the error for a wrong entry of the cluster index.
    pub(super) fn index_broken(self, entry: usize, expected: &str) -> BookError {
        let entry_bytes = if self.header.is_wide { 8 } else { 4 };
        let (offset, found) = (self.sections.index.start + entry * entry_bytes, self.index().at(entry));
        let place = format!("cluster index entry {entry} at offset {offset}");
        BookError::refused(self.path, format!("{place} is {found}, expected {expected}; {AGAIN}"))
    }

    /// Checks that the index starts at 0, never falls and ends at the number of records, so that no probe leaves the file.
    fn check_index(self) -> Result<(), BookError> {
        let index = self.index();
        if index.at(0) != 0 {
            return Err(self.index_broken(0, "0"));
        }
        if let Some(entry) = (1..INDEX_ENTRIES).find(|&entry| index.at(entry) < index.at(entry - 1)) {
            return Err(self.index_broken(entry, &format!("{} or more", index.at(entry - 1))));
        }
        let records = self.header.records;
        if index.at(CLUSTERS) != records {
            return Err(self.index_broken(CLUSTERS, &format!("{records}, the number of records")));
        }
        Ok(())
    }
}

/// The cluster index as bytes.
#[derive(Clone, Copy)]
pub(super) enum Index<'a> {
    Narrow(&'a [[u8; 4]]),
    Wide(&'a [[u8; 8]]),
}

impl Index<'_> {
    /// Returns an entry, 0–32,768.
    pub(super) fn at(self, entry: usize) -> u64 {
        match self {
            Index::Narrow(entries) => u64::from(u32::from_le_bytes(entries[entry])),
            Index::Wide(entries) => u64::from_le_bytes(entries[entry]),
        }
    }
}

/// Checks header, length, game and keys, and the shape of the cluster index.
pub(super) fn check(bytes: &[u8], accepted: &[Scheme], path: &Path) -> Result<(Header, Sections), BookError> {
    let (header, sections) = Header::decode(bytes, bytes.len() as u64, path)?;
    check_scheme(header.scheme, accepted, path)?;
    View { bytes, header: &header, sections: &sections, path }.check_index()?;
    Ok((header, sections))
}

fn check_scheme(found: Scheme, accepted: &[Scheme], path: &Path) -> Result<(), BookError> {
    let Some(expected) = accepted.iter().find(|scheme| scheme.game == found.game) else {
        let names: Vec<_> = accepted.iter().map(|scheme| scheme.game.name()).collect();
        let (found, expected) = (found.game.name(), names.join(" or "));
        let what = format!("a book of {found}, expected {expected}; open the book of the game you play");
        return Err(BookError::refused(path, what));
    };
    if *expected != found {
        let (game, found, expected) = (found.game.name(), found.fingerprint, expected.fingerprint);
        let what = format!(
            "{game} keys of another scheme: 0x{found:016x} at offset 16, expected 0x{expected:016x}; \
             build the book again with this program"
        );
        return Err(BookError::refused(path, what));
    }
    Ok(())
}
