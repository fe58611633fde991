//! An open clustered book: probes, records and facts of a file.
//!
//! The file is memory-mapped: opening only reads the header and the cluster index, and processes that open the same book
//! share its pages. A book on disk is never changed in place. The writer renames a new file over it, and existing maps
//! keep the old content.
//!
//! The moves of a book at a position. Records describe positions, so they are the legal moves that lead to a record.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::layout::{CLUSTERS, Header, RECORD_BYTES, Sections, VALUE_BYTES, cluster_of, truncated};
use super::record::{BookProbe, Counts, Record, Valued, Word};
use super::view::{RawRecord, Touched, View, check, guess, key_of, lower_bound, verify, word_of};
use super::{BookError, Column, GoOn, Scheme};
use crate::game::{Foldable, GameId, Key, Lock, Move};
use crate::graph::{stored, stored_after, usual_moves};

/// An open clustered book.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    map: Mmap,
    header: Header,
    sections: Sections,
    touched: Touched,
}

impl Book {
    /// Opens a book whose game and keys are one of `accepted`.
    ///
    /// Checks magic, header checksum, version, game, key scheme, file length, and the ends and order of the cluster
    /// index. What is read later is compared with the checksums of its blocks when it is first touched.
    pub fn open(path: &Path, accepted: &[Scheme]) -> Result<Book, BookError> {
        let map = map_file(path).map_err(BookError::io(path))?;
        let bytes = map.as_deref().unwrap_or_default();
        let (header, sections) = check(bytes, accepted, path)?;
        // An empty file has no map, and no header either.
        let Some(map) = map else {
            return Err(truncated(1, 0, path));
        };
        let view = View { bytes: &map, header: &header, sections: &sections, path };
        let touched = Touched::new(view);
        touched.check(view, 0..sections.index.end)?;
        Ok(Book { path: path.to_owned(), map, header, sections, touched })
    }

    /// Returns the game.
    pub fn game(&self) -> GameId {
        self.header.scheme.game
    }

    /// Returns the header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.raw_records().len()
    }

    /// Returns whether the book is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the length of the file in bytes.
    pub fn file_bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Returns the recipe: UTF-8 JSON that says how the book was made.
    pub fn recipe(&self) -> Result<&str, BookError> {
        self.check(self.sections.recipe.clone())?;
        self.view().recipe()
    }

    /// Returns the record of a position, if there is one.
    ///
    /// Locks are compared if the book has them. Otherwise two positions of one key are the same to the book.
    pub fn probe(&self, key: Key, lock: Lock) -> Result<Option<Record>, BookError> {
        self.touch_counts(key);
        self.find(key, lock)?.map(|place| self.record(place)).transpose()
    }

    /// Returns the place of a position's record among all records, as [`Book::probe`] finds it.
    pub fn find(&self, key: Key, lock: Lock) -> Result<Option<usize>, BookError> {
        let (start, end) = self.cluster(cluster_of(key.0));
        let records = self.sections.records.start;
        self.check(records + RECORD_BYTES * start..records + RECORD_BYTES * end)?;
        if let Some([locks, ..]) = &self.sections.columns {
            self.check(locks.start + 4 * start..locks.start + 4 * end)?;
        }
        Ok(self.seek(key, lock))
    }

    /// Returns what [`Book::find`] returns, for callers that have checked the book whole ([`Book::check_whole`]).
    pub fn seek(&self, key: Key, lock: Lock) -> Option<usize> {
        let (start, end) = self.cluster(cluster_of(key.0));
        let cluster = self.raw_records().get(start..end)?;
        let locks = self.raw_column(Column::Lock);
        // Read early, even if it is not needed, so that memory loads it together with the records.
        black_box(locks.and_then(|locks| locks.get(start + guess(cluster.len(), key.0))).map(|lock| lock[0]));
        let mut place = lower_bound(cluster, key.0);
        while let Some(raw) = cluster.get(place)
            && key_of(raw) == key.0
        {
            if locks.is_none_or(|locks| u32::from_le_bytes(locks[start + place]) == lock.0) {
                return Some(start + place);
            }
            place += 1;
        }
        None
    }

    /// Reads counts where the record of a key is expected, so that memory loads them together with it. (A loop over all
    /// columns, lock included, makes [`Book::find`] slower by a sixth.)
    fn touch_counts(&self, key: Key) {
        let (start, end) = self.cluster(cluster_of(key.0));
        let expected = start + guess(end - start, key.0);
        for column in [Column::Wins, Column::Draws, Column::Losses] {
            black_box(self.raw_column(column).and_then(|column| column.get(expected)).map(|value| value[0]));
        }
    }

    /// Returns the record at a place that [`Book::find`] has found.
    ///
    /// # Errors
    /// [`BookError::Refused`]: what was read is not as written.
    ///
    /// # Panics
    /// If the place is not below the number of records.
    pub fn record(&self, place: usize) -> Result<Record, BookError> {
        for column in self.sections.columns.iter().flatten() {
            let start = column.start + 4 * place;
            self.check(start..start + 4)?;
        }
        if self.header.has_values {
            let start = self.sections.values.start + VALUE_BYTES * place;
            self.check(start..start + VALUE_BYTES)?;
        }
        Ok(self.decode(place, &self.raw_records()[place]))
    }

    /// Checks by the checksum of the file that all of it is as written; what follows need not be checked.
    pub fn check_whole(&self, go_on: GoOn) -> Result<(), BookError> {
        self.touched.check_whole(self.view(), go_on)
    }

    fn check(&self, range: Range<usize>) -> Result<(), BookError> {
        if self.touched.knows(&range) { Ok(()) } else { self.touched.check(self.view(), range) }
    }

    /// Returns all records, ascending by (key, lock), of a book that has been checked whole.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Record> + '_ {
        self.raw_records().iter().enumerate().map(|(number, raw)| self.decode(number, raw))
    }

    /// Returns the number of records in each cluster.
    pub fn cluster_sizes(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..CLUSTERS).map(|cluster| {
            let (start, end) = self.cluster(cluster);
            (end - start) as u64
        })
    }

    /// Checks the whole file: order of records, words against counts, every index entry, recipe and checksum.
    pub fn verify(&self, go_on: GoOn) -> Result<(), BookError> {
        verify(self.view(), go_on)
    }

    /// Returns the records as they stand in the file, unchecked: 12 bytes each, `u64` key and `u32` word, little-endian.
    pub fn raw_records(&self) -> &[[u8; 12]] {
        self.view().records()
    }

    /// Returns a column as it stands in the file, unchecked, little-endian `u32`s; `None` if the book has no columns.
    pub fn raw_column(&self, column: Column) -> Option<&[[u8; 4]]> {
        self.view().column(column)
    }

    fn view(&self) -> View<'_> {
        View { bytes: &self.map, header: &self.header, sections: &self.sections, path: &self.path }
    }

    /// Returns where a cluster starts and ends; both were checked when the book was opened.
    fn cluster(&self, cluster: usize) -> (usize, usize) {
        let view = self.view();
        (view.start_of(cluster) as usize, view.start_of(cluster + 1) as usize)
    }

    fn decode(&self, number: usize, raw: &RawRecord) -> Record {
        let at = |column| Some(u32::from_le_bytes(*self.raw_column(column)?.get(number)?));
        let counts = || {
            let (wins, draws, losses) = (at(Column::Wins)?, at(Column::Draws)?, at(Column::Losses)?);
            Some(Counts { wins, draws, losses })
        };
        Record {
            key: Key(key_of(raw)),
            word: Word(word_of(raw)),
            lock: at(Column::Lock).map(Lock),
            counts: counts(),
            valued: self.view().value_bits(number).and_then(Valued::unpack),
        }
    }
}

/// Maps a file into memory; `None` for an empty one, which cannot be mapped.
pub(crate) fn map_file(path: &Path) -> io::Result<Option<Mmap>> {
    // Opening a FIFO would wait for its writer.
    let facts = path.metadata()?;
    if facts.is_dir() {
        return Err(io::Error::from(ErrorKind::IsADirectory));
    }
    if !facts.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    let file = File::open(path)?;
    if facts.len() == 0 {
        return Ok(None);
    }
    // SAFETY: the map is read-only and dropped with the book that owns it. Writers of ours replace a book by rename and
    // never change one in place, so its bytes stay as they are; `verify` and every probe bound what they read by the
    // length of the map. Whoever truncates the file under a running program ends that program (SIGBUS), as with any map.
    #[allow(unsafe_code)]
    let map = unsafe { Mmap::map(&file)? };
    Ok(Some(map))
}

/// Searches have no place for errors: who shares a book with one has checked it whole ([`Book::check_whole`]).
impl BookProbe for Book {
    fn probe(&self, key: Key, lock: Lock) -> Option<Record> {
        self.touch_counts(key);
        let place = self.seek(key, lock)?;
        Some(self.decode(place, &self.raw_records()[place]))
    }

    fn folds(&self) -> bool {
        self.header.is_folded
    }

    fn records(&self, least_usage: u32) -> Box<dyn Iterator<Item = Record> + '_> {
        // The columns of the other records are never read.
        let raw = self.raw_records().iter().enumerate();
        let used = raw.filter(move |(_, raw)| Word(word_of(raw)).usage() >= least_usage);
        Box::new(used.map(|(number, raw)| self.decode(number, raw)))
    }

    fn usages(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        Box::new(self.raw_records().iter().map(|raw| Word(word_of(raw)).usage()))
    }
}

/// Returns the record of each legal move at a position that leads to one; of two mirrored moves only the usual one.
pub fn records_at<G: Foldable>(book: &Book, position: &G) -> Result<Vec<(usize, Move)>, BookError> {
    let is_folded = book.header().is_folded;
    let mut moves = Vec::new();
    for m in usual_moves(position, stored(position, is_folded).symmetry) {
        let (key, lock) = stored_after(position, m, is_folded);
        moves.extend(book.find(key, lock)?.map(|place| (place, m)));
    }
    Ok(moves)
}
