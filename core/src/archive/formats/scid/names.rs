//! The file of names.
//!
//! | offset | size | field |
//! |---|---|---|
//! | 0 | 8 | `Scid.sn` and a zero |
//! | 8 | 4 | unused |
//! | 12 | 4 × 3 | numbers of players, events, sites and rounds |
//! | 24 | 4 × 3 | how often the most frequent name of each kind is used |
//!
//! Names of players, events, sites and rounds follow, each kind in order of the alphabet:
//!
//! | size | field of a name |
//! |---|---|
//! | 2 or 3 | its number: 3 bytes where there are 65,536 names or more |
//! | 1 to 3 | how often it is used: as many bytes as the most frequent name needs |
//! | 1 | length |
//! | 1 | bytes in common with the name before; the first name lacks this field |
//! | | the other bytes |

use super::header::NAMES;
use crate::archive::Defect;
use crate::archive::formats::cursor::{Cursor, big_endian};

const MAGIC: &[u8] = b"Scid.sn\0";

/// Most names of each kind: the index has 20 bits for players, 19 for events and sites, 18 for rounds.
const MAX_NAMES: [u32; 4] = [1 << 20, 1 << 19, 1 << 19, 1 << 18];

/// Largest text of all names together. Names share bytes in the file, so it may be larger than the file.
const MAX_TEXT_BYTES: usize = 256 << 20;

/// Names by kind and number.
#[derive(Debug, Default)]
pub(in crate::archive) struct Names {
    text: Vec<u8>,
    /// For players, events, sites and rounds: where each name lies in the text, and its length.
    places: [Vec<(u32, u8)>; 4],
}

impl Names {
    pub(in crate::archive) fn is_names(head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    /// Parses a file; returns the names before a defect, if there is one.
    pub(in crate::archive) fn parse(bytes: &[u8]) -> (Names, Option<Defect>) {
        let mut names = Names::default();
        let read = names.fill(&mut Cursor::new(bytes, 0));
        (names, read.err())
    }

    /// Returns the names of a game by their numbers; empty where there is none.
    pub(in crate::archive) fn of_game(&self, numbers: [u32; NAMES]) -> Vec<Vec<u8>> {
        let lists = [0, 0, 1, 2, 3].map(|list| &self.places[list]);
        let name = |(list, number): (&Vec<(u32, u8)>, u32)| {
            let (start, length) = list.get(number as usize).copied().unwrap_or_default();
            let start = start as usize;
            self.text.get(start..start + usize::from(length)).unwrap_or_default().to_vec()
        };
        lists.into_iter().zip(numbers).map(name).collect()
    }

    fn fill(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Defect> {
        let place = cursor.clone();
        if !Names::is_names(cursor.take(MAGIC.len() + 4, "the head of a file of names")?) {
            return Err(place.defect("magic", "expected the bytes \"Scid.sn\""));
        }
        let mut counts = || {
            let fields = cursor.array::<12>("numbers of names")?;
            Ok([0, 3, 6, 9].map(|at| big_endian(&fields[at..at + 3])))
        };
        let (counts, frequencies) = (counts()?, counts()?);
        for list in 0..counts.len() {
            if counts[list] > MAX_NAMES[list] {
                let message = format!("expected at most {} names, found {}", MAX_NAMES[list], counts[list]);
                return Err(place.defect("names", message));
            }
            let number_bytes = if counts[list] >= 1 << 16 { 3 } else { 2 };
            let frequency_bytes = match frequencies[list] {
                ..0x100 => 1,
                0x100..0x1_0000 => 2,
                _ => 3,
            };
            self.fill_list(cursor, list, counts[list], [number_bytes, frequency_bytes])?;
        }
        Ok(())
    }

    fn fill_list(
        &mut self,
        cursor: &mut Cursor<'_>,
        list: usize,
        count: u32,
        [number_bytes, frequency_bytes]: [usize; 2],
    ) -> Result<(), Defect> {
        self.places[list] = vec![(0, 0); count as usize];
        let mut before = Vec::new();
        for index in 0..count {
            let place = cursor.clone();
            let number = big_endian(cursor.take(number_bytes, "the number of a name")?) as usize;
            cursor.take(frequency_bytes, "the frequency of a name")?;
            let [length] = cursor.array("the length of a name")?;
            let [shared] = if index > 0 { cursor.array("the bytes of a name")? } else { [0] };
            if shared > length || usize::from(shared) > before.len() {
                return Err(place.defect("names", "expected a name that shares bytes with the one before"));
            }
            before.truncate(usize::from(shared));
            before.extend_from_slice(cursor.take(usize::from(length - shared), "a name")?);
            let start = self.text.len();
            if start + before.len() > MAX_TEXT_BYTES {
                return Err(
                    place.defect("names", format!("expected at most {MAX_TEXT_BYTES} bytes of names"))
                );
            }
            match self.places[list].get_mut(number) {
                Some(known) => *known = (start as u32, length),
                None => return Err(place.defect("names", format!("expected a number below {count}"))),
            }
            self.text.extend_from_slice(&before);
        }
        Ok(())
    }
}
