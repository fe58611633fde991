//! Writes the games that pass a filter, byte for byte as their archives have them, without duplicates if that is asked for.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use super::fingerprint::{Sameness, beginnings, fingerprint};
use super::{Archives, CollectionError, Course, Report, Seen, Target, each_game};
use crate::archive::{Archived, GameRecord, ReadOptions};
use crate::filter::{Filtered, GameFilter};
use crate::game::Replayable;
use crate::replay::{line_of, split};
use crate::tally::Progress;

/// Writes a game as its archive has it. Of a text, what stands before and behind it is cut off, and one empty line ends
/// it.
fn put<G: Replayable, W: Write>(game: &Seen<'_, G>, target: &mut Target<W>) -> Result<(), CollectionError> {
    let (format, raw) = (game.block.format, game.raw());
    if !format.is_text() && !format.is_one_a_file() {
        return Err(CollectionError::NotCopied(game.place()));
    }
    if !format.is_text() && !target.has_names() {
        return Err(CollectionError::NotText(game.place()));
    }
    let path = game.block.member.as_deref().map_or_else(|| game.path.to_string_lossy(), Cow::Borrowed);
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = format!("{:05}-{file}", game.number);
    if !format.is_text() {
        return Ok(target.put(&name, raw)?);
    }
    let text = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw).trim_ascii();
    let end: &[u8] = if memchr::memmem::find(text, b"\r\n").is_some() { b"\r\n\r\n" } else { b"\n\n" };
    Ok(target.put(&name, &[text, end].concat())?)
}

/// Which games are written.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// By what is known of them.
    pub filter: GameFilter,
    /// By their moves.
    pub course: Course,
}

impl Wanted {
    fn reason<G: Archived>(&self, record: &GameRecord<G::Token>) -> Option<&'static str> {
        let skipped = self.filter.reason(record).map(Filtered::name);
        skipped.or_else(|| self.course.reason::<G>(record))
    }

    fn read_options(&self) -> ReadOptions {
        ReadOptions { full: true, tags: self.filter.needs_tags(), ..ReadOptions::default() }
    }
}

/// Writes the wanted games, in the order of the archives. Moves are read, not checked.
///
/// With a sameness, games that are the same as an earlier one are skipped; with [`Sameness::Prefix`] also games that begin
/// another game, earlier or later. Games without moves can only be duplicates by [`Sameness::Players`]. This needs a few
/// bytes of memory for each game; by prefix the archives are read three times.
///
/// # Errors
/// [`CollectionError`]: an archive or the output fails.
pub fn filter<G: Archived, W: Write>(
    archives: &Archives,
    wanted: &Wanted,
    sameness: Option<Sameness>,
    mut target: Target<W>,
    progress: &Progress,
) -> Result<Report, CollectionError> {
    let begun = match sameness {
        Some(Sameness::Prefix) => beginnings_of_others::<G>(archives, wanted, progress)?,
        _ => HashSet::new(),
    };
    let mut seen = HashSet::new();
    let mut left_out = vec![BTreeMap::<&'static str, u64>::new(); archives.paths.len()];
    let mut report = each_game::<G>(archives, &wanted.read_options(), progress, &mut |game| {
        let reason = match (wanted.reason::<G>(game.record), sameness) {
            (Some(code), _) => Some(code),
            (None, Some(sameness)) if !is_new(game, sameness, &begun, &mut seen) => Some("duplicate"),
            (None, _) => None,
        };
        match reason {
            Some(code) => *left_out[game.source as usize].entry(code).or_default() += 1,
            None => put(game, &mut target)?,
        }
        Ok(reason.is_none())
    })?;
    for (source, left_out) in report.sources.iter_mut().zip(left_out) {
        source.filtered.extend(left_out);
    }
    target.finish()?;
    Ok(report)
}

/// Returns whether a game is the same as none before it.
fn is_new<G: Archived>(
    game: &Seen<'_, G>,
    sameness: Sameness,
    begun: &HashSet<u64>,
    seen: &mut HashSet<u128>,
) -> bool {
    let line = line_of::<G>(game.record);
    let is_bare = line.as_ref().is_some_and(|line| split(line).1.is_empty());
    let prefix = line.as_ref().filter(|_| sameness == Sameness::Prefix);
    let is_beginning =
        prefix.and_then(|line| beginnings(line).last()).is_some_and(|print| begun.contains(&print));
    let is_apart = is_bare && sameness != Sameness::Players;
    !is_beginning && (is_apart || seen.insert(fingerprint(game, line, sameness)))
}

/// Returns the fingerprints of the lines that another line begins with and goes beyond, among games that pass a filter.
fn beginnings_of_others<G: Archived>(
    archives: &Archives,
    wanted: &Wanted,
    progress: &Progress,
) -> Result<HashSet<u64>, CollectionError> {
    let passing_line = |game: &Seen<'_, G>| match wanted.reason::<G>(game.record) {
        None => line_of::<G>(game.record),
        Some(_) => None,
    };
    let mut whole = HashSet::new();
    each_game::<G>(archives, &wanted.read_options(), progress, &mut |game| {
        whole.extend(passing_line(game).and_then(|line| beginnings(&line).last()));
        Ok(true)
    })?;
    let mut begun = HashSet::new();
    each_game::<G>(archives, &wanted.read_options(), progress, &mut |game| {
        if let Some(line) = passing_line(game) {
            let plies = split(&line).1.len() / 2;
            let earlier = beginnings(&line).take(plies.saturating_sub(1));
            begun.extend(earlier.filter(|print| whole.contains(print)));
        }
        Ok(true)
    })?;
    Ok(begun)
}
