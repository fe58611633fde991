//! Pages whose values promise no more than the page has. The library makes room by what the values themselves say.
//!
//! | encoding | its first bytes |
//! |---|---|
//! | deltas, and texts behind the deltas of their lengths | values of a block, parts of a block, values of the page: numbers of seven bits a byte |

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::schema::types::ColumnDescPtr;

use super::header::varint;

/// Largest block of deltas. Writers take 128 to 2,048.
const MAX_BLOCK: u64 = 1 << 16;

/// The pages of a column.
pub(super) struct Checked {
    pages: Box<dyn PageReader>,
    /// Whether rows have lists, and whether values may be missing: each has levels before the values of a page.
    levels: [bool; 2],
}

impl Checked {
    pub(super) fn new(pages: Box<dyn PageReader>, column: &ColumnDescPtr) -> Checked {
        Checked { pages, levels: [column.max_rep_level() > 0, column.max_def_level() > 0] }
    }

    fn check(&self, page: Page) -> ParquetResult<Page> {
        let fits = match &page {
            Page::DataPage { buf, num_values, encoding, .. } => {
                let start = self
                    .levels
                    .iter()
                    .filter(|&&is_there| is_there)
                    .try_fold(0, |at, _| end_of_levels(buf, at));
                start.is_some_and(|start| is_bounded(*encoding, buf, start, *num_values))
            }
            Page::DataPageV2 {
                buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, ..
            } => {
                let start = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                is_bounded(*encoding, buf, start, *num_values)
            }
            Page::DictionaryPage { .. } => true,
        };
        if fits {
            return Ok(page);
        }
        Err(ParquetError::General(match page.encoding() {
            encoding if is_read(encoding) => "a page has more values than it says".to_owned(),
            encoding => format!("a page in the encoding {encoding}, which is not read"),
        }))
    }
}

/// Returns where levels end that begin at a place of a page of the first version: four bytes tell their size.
fn end_of_levels(page: &Bytes, start: usize) -> Option<usize> {
    let size: [u8; 4] = page.get(start..start.checked_add(4)?)?.try_into().ok()?;
    (start + 4).checked_add(u32::from_le_bytes(size) as usize)
}

/// Returns whether the values of a page need no more room than its header promises.
fn is_bounded(encoding: Encoding, page: &Bytes, start: usize, promised: u32) -> bool {
    if !DELTAS.contains(&encoding) {
        return is_read(encoding);
    }
    let Some(mut values) = page.get(start..) else { return false };
    let mut next = || varint(&mut values);
    let (block, parts, count) = (next(), next(), next());
    let is_small = block.zip(parts).is_some_and(|(block, parts)| block <= MAX_BLOCK && parts <= block);
    is_small && count.is_some_and(|count| count <= u64::from(promised))
}

/// Returns whether values in an encoding are read.
fn is_read(encoding: Encoding) -> bool {
    let others = [Encoding::PLAIN, Encoding::RLE_DICTIONARY, PLAIN_DICTIONARY, Encoding::BYTE_STREAM_SPLIT];
    DELTAS.contains(&encoding) || others.contains(&encoding)
}

/// Encodings whose values begin with their number.
const DELTAS: [Encoding; 2] = [Encoding::DELTA_BINARY_PACKED, Encoding::DELTA_LENGTH_BYTE_ARRAY];

/// What old writers call [`Encoding::RLE_DICTIONARY`].
#[allow(deprecated)] // The library still reads it.
const PLAIN_DICTIONARY: Encoding = Encoding::PLAIN_DICTIONARY;

impl Iterator for Checked {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<ParquetResult<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.check(page)).transpose()
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_promise_are_refused() {
        // Blocks of 128 values in 4 parts.
        let page = |count: &[u8]| Bytes::from([&[0x80, 1, 4], count, &[0, 0]].concat());
        for encoding in [Encoding::DELTA_BINARY_PACKED, Encoding::DELTA_LENGTH_BYTE_ARRAY] {
            assert!(is_bounded(encoding, &page(&[3]), 0, 3));
            assert!(!is_bounded(encoding, &page(&[4]), 0, 3));
            assert!(!is_bounded(encoding, &page(&[0xff, 0xff, 0xff, 0xff, 0x0f]), 0, 3));
            assert!(!is_bounded(encoding, &page(&[3]), 9, 3));
            assert!(!is_bounded(encoding, &Bytes::from_static(&[0x80, 0x80, 0x80, 1, 4, 3, 0]), 0, 3));
        }
        assert!(!is_bounded(Encoding::DELTA_BYTE_ARRAY, &page(&[3]), 0, 3));
    }

    #[test]
    fn levels_of_the_first_version_tell_their_size() {
        let page = Bytes::from_static(&[2, 0, 0, 0, 9, 9, 1, 0, 0, 0, 9, 7]);
        assert_eq!(end_of_levels(&page, 0), Some(6));
        assert_eq!(end_of_levels(&page, 6), Some(11));
        assert_eq!(end_of_levels(&page, 11), None);
    }
}
