//! Converts the games of archives to one format, in order, and reports the games that could not be converted.
//!
//! A few blocks at a time are parsed and written on all threads; their texts are put behind each other in the order of
//! the archives, so the number of threads does not show in the output.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::{Archives, CollectionError, Report, Target, each_block, place_of};
use crate::archive::{BLOCK_BYTES, Block, GameRecord, ReadOptions};
use crate::game::{Notation, Replayable};
use crate::replay::Fault;
use crate::tally::{Progress, Reject};
use crate::write::{Spelling, WriteOptions, Writer, Written, write_line, write_pgn};

/// The format that games are converted to.
pub enum Form<G: Replayable> {
    /// PGN with moves in a notation.
    Pgn(&'static Spelling<G>),
    /// One line of moves a game.
    Lines {
        /// Notation of the moves.
        notation: &'static dyn Notation<G>,
        /// Whether the result ends the line.
        with_result: bool,
    },
    /// A file a game, by this writer.
    Files(Writer<G>),
}

/// Blocks that are worked on at once, for each thread: enough that no thread waits for the last one for long.
const BLOCKS_A_JOB: usize = 8;

/// Writes all games of archives to `target`.
///
/// # Errors
/// [`CollectionError`]: an archive or the output fails, or `target` holds one game and there are more.
pub fn convert<G: Written, W: Write>(
    archives: &Archives,
    form: &Form<G>,
    options: &WriteOptions,
    jobs: usize,
    mut target: Target<W>,
    progress: &Progress,
) -> Result<Report, CollectionError> {
    let jobs = jobs.max(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(|error| CollectionError::Threads(jobs, error.to_string()))?;
    let suffix = match form {
        Form::Pgn(_) => "pgn",
        Form::Lines { .. } => "txt",
        Form::Files(_) => "xqf",
    };
    let (mut report, mut done) = (Report::new(&archives.paths), Report::new(&archives.paths));
    let mut written = 0;
    let mut convert_blocks = |blocks: Vec<(u32, Block)>| -> Result<(), CollectionError> {
        let work = |(source, block): &(u32, Block)| convert_block(*source, block, form, options, progress);
        let converted: Vec<Converted> = pool.install(|| blocks.par_iter().map(work).collect());
        for ((source, block), mut converted) in blocks.iter().zip(converted) {
            if progress.stop.load(Ordering::Relaxed) {
                return Err(CollectionError::Stopped);
            }
            let report = &mut done.sources[*source as usize];
            let games = converted.ends.len() as u64;
            if matches!(target, Target::Single(_)) && written + games > 1 {
                return Err(CollectionError::SecondGame(place_of(&report.path, block)));
            }
            if target.has_names() {
                let starts = [0].into_iter().chain(converted.ends.iter().copied());
                for ((number, start), &end) in (written + 1..).zip(starts).zip(&converted.ends) {
                    target.put(&format!("{number:05}.{suffix}"), &converted.bytes[start..end])?;
                }
            } else {
                target.put("", &converted.bytes)?;
            }
            written += games;
            for reject in &mut converted.rejects {
                reject.number += report.games_read;
                *report.rejects.entry(reject.fault.reason).or_default() += 1;
            }
            report.games_read += converted.games_read;
            report.games_used += games;
            report.variations.cut += converted.variations_cut;
            done.rejects.append(&mut converted.rejects);
        }
        Ok(())
    };
    let mut batch = Vec::new();
    let mut bytes = 0;
    each_block::<G>(archives, &mut report, progress, &mut |source, block| {
        bytes += block.size();
        batch.push((source, block));
        if bytes >= jobs * BLOCKS_A_JOB * BLOCK_BYTES || batch.len() >= jobs * BLOCKS_A_JOB * 64 {
            bytes = 0;
            convert_blocks(std::mem::take(&mut batch))?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    convert_blocks(batch)?;
    target.finish()?;
    for (source, read) in done.sources.iter_mut().zip(report.sources) {
        source.skipped = read.skipped;
    }
    Ok(done)
}

/// What a block became.
#[derive(Default)]
struct Converted {
    bytes: Vec<u8>,
    /// Where each game ends in the bytes.
    ends: Vec<usize>,
    games_read: u64,
    variations_cut: u64,
    /// Numbered from 1 within the block.
    rejects: Vec<Reject>,
}

fn convert_block<G: Written>(
    source: u32,
    block: &Block,
    form: &Form<G>,
    options: &WriteOptions,
    progress: &Progress,
) -> Converted {
    let mut converted = Converted::default();
    let reading = ReadOptions {
        tags: !matches!(form, Form::Lines { .. }),
        variations: options.variations,
        notes: options.comments,
        ..ReadOptions::everything()
    };
    let mut text = String::new();
    G::read_block(block, &reading, &mut |record| {
        converted.games_read += 1;
        text.clear();
        match write_game(record, form, options, &mut text, &mut converted.bytes) {
            Ok(cut) => {
                converted.variations_cut += cut;
                converted.ends.push(converted.bytes.len());
            }
            Err(fault) => converted.rejects.push(Reject {
                source,
                member: block.member.as_deref().unwrap_or_default().to_owned(),
                offset: record.offset,
                line: record.line,
                number: converted.games_read,
                fault,
                raw: Vec::new(),
            }),
        }
    });
    progress.games.fetch_add(converted.games_read, Ordering::Relaxed);
    progress.rejects.fetch_add(converted.rejects.len() as u64, Ordering::Relaxed);
    converted
}

/// Appends a game and returns how many variations were cut.
fn write_game<G: Written>(
    record: &GameRecord<G::Token>,
    form: &Form<G>,
    options: &WriteOptions,
    text: &mut String,
    out: &mut Vec<u8>,
) -> Result<u64, Fault> {
    if let Some(variant) = &record.variant {
        let message = format!("expected the standard game, found the variant {variant}");
        return Err(Fault { reason: "variant", ply: 0, token: variant.clone(), message });
    }
    let cut = match form {
        Form::Pgn(spelling) => write_pgn(record, spelling, options, text)?,
        Form::Lines { notation, with_result } => {
            write_line(record, *notation, *with_result, text)?;
            0
        }
        Form::Files(writer) => return writer(record, options, out),
    };
    out.extend_from_slice(text.as_bytes());
    Ok(cut)
}
