//! Splits games into many files below a directory, each game byte for byte in one of them.
//!
//! Text games of a part follow each other in one file, `0001.pgn`. Games of other formats lie in a directory of the part,
//! `0001/00012-name.xqf`. Games are collected in memory and appended to their files when that is full, so many parts need
//! neither much memory nor many open files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::pick::Raw;
use super::{Archives, CollectionError, Report, Seen, each_game};
use crate::archive::{Archived, ReadOptions};
use crate::game::Replayable;
use crate::tally::Progress;

/// Bytes that are collected before they are written; chosen, not tuned.
const PENDING_BYTES: usize = 32 << 20;
/// Longest name of a part in bytes; file systems allow 255 with the suffix.
const NAME_BYTES: usize = 120;

/// How games are dealt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deal {
    /// Into this number of parts, in turn like cards, so that the parts differ by one game at most.
    Parts(u64),
    /// So many games a part, in order.
    Games(u64),
    /// A part for each value of a tag.
    Tag(String),
}

/// Deals out the games of archives into files below `directory`, which exists and is empty. Returns the report and the
/// number of parts.
///
/// # Errors
/// [`CollectionError`]: an archive or the output fails.
pub fn deal<G: Archived>(
    archives: &Archives,
    deal: &Deal,
    directory: &Path,
    progress: &Progress,
) -> Result<(Report, usize), CollectionError> {
    let reading =
        ReadOptions { max_ply: Some(1), tags: matches!(deal, Deal::Tag(_)), ..ReadOptions::default() };
    let mut parts = Parts { directory, pending: BTreeMap::new(), bytes: 0 };
    let report = each_game::<G>(archives, &reading, progress, &mut |game| {
        parts.add(&part_of(deal, game), game)?;
        Ok(true)
    })?;
    parts.flush()?;
    Ok((report, parts.pending.len()))
}

/// Returns the name of the part that a game goes to.
fn part_of<G: Replayable>(deal: &Deal, game: &Seen<'_, G>) -> String {
    let index = game.number - 1;
    match deal {
        Deal::Parts(parts) => format!("{:04}", index % parts.max(&1) + 1),
        Deal::Games(games) => format!("{:04}", index / games.max(&1) + 1),
        Deal::Tag(name) => {
            let tag = game.record.tags.iter().find(|(other, _)| other == name);
            file_name(tag.map_or("", |(_, value)| value))
        }
    }
}

/// Returns a text as a name that any file system takes: what may not stand in one becomes `_`.
fn file_name(text: &str) -> String {
    let mut name = String::new();
    for c in text.trim().chars() {
        let c = if c.is_alphanumeric() || matches!(c, ' ' | ',' | '-' | '_' | '.' | '+') { c } else { '_' };
        if name.len() + c.len_utf8() > NAME_BYTES {
            break;
        }
        name.push(c);
    }
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}

struct Parts<'a> {
    directory: &'a Path,
    /// Text of each part that is not yet written.
    pending: BTreeMap<String, Vec<u8>>,
    bytes: usize,
}

impl Parts<'_> {
    fn add<G: Replayable>(&mut self, part: &str, game: &Seen<'_, G>) -> Result<(), CollectionError> {
        let raw = Raw::of(game)?;
        let pending = self.pending.entry(part.to_owned()).or_default();
        if !game.is_text() {
            let directory = self.directory.join(part);
            fs::create_dir_all(&directory)?;
            return Ok(fs::write(directory.join(raw.name), raw.bytes)?);
        }
        self.bytes += raw.bytes.len();
        pending.extend(raw.bytes);
        if self.bytes > PENDING_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        for (part, pending) in self.pending.iter_mut().filter(|(_, pending)| !pending.is_empty()) {
            let path = self.directory.join(format!("{part}.pgn"));
            File::options().create(true).append(true).open(path)?.write_all(pending)?;
            *pending = Vec::new();
        }
        self.bytes = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_of_parts_suit_any_file_system() {
        for (text, name) in [
            ("Carlsen, Magnus", "Carlsen, Magnus"),
            ("../../etc/passwd", "_.._etc_passwd"),
            ("..", "unknown"),
            ("胡荣华", "胡荣华"),
            ("1/2-1/2", "1_2-1_2"),
            (" ", "unknown"),
        ] {
            assert_eq!(file_name(text), name);
        }
        assert!(file_name(&"马".repeat(100)).len() <= 120);
    }
}
