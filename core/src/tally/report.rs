//! The report of a run as JSON: the figures of its sources, and its rejects, a line each.

use serde_json::{Value, json};

use super::reject::Reject;
use super::run::batches::Batch;
use super::run::cutting::Place;
use super::run::worker::SourceReport;

/// Returns the figures of a batch and the place behind it as one JSON object.
pub fn figures(batch: &Batch) -> Value {
    let source = |(index, report): &(u32, SourceReport)| {
        let mut figures = json!({
            "index": index,
            "games_read": report.games_read,
            "games_used": report.games_used,
            "duplicates": report.duplicates,
            "other_tags": report.other_tags,
            "contradicted": report.contradicted,
            "ignored_words": report.ignored_words,
            "marks": report.marks,
            "variations": report.variations.lines,
            "variations_cut": report.variations.cut,
            "filtered": report.filtered,
            "variants": report.variants,
            "rejects": report.rejects,
            "skipped": report.skipped,
        });
        if let Some(digest) = &report.digest {
            figures["digest"] = json!([digest.size, digest.blake3]);
        }
        figures
    };
    let sources: Vec<Value> = batch.sources.iter().map(source).collect();
    let Place { source, sequence, games_read, games_used } = batch.end;
    json!({
        "observations": batch.observations,
        "superseded": batch.superseded,
        "sources": sources,
        "end": [source, sequence, games_read, games_used],
    })
}

/// Returns rejects as lines of JSON with the columns of REJECTS; `names` are the names of the sources.
pub fn reject_lines<N: AsRef<str>>(rejects: &[Reject], names: &[N]) -> Vec<u8> {
    let text = |text: &str| Value::from(text).to_string();
    let line = |reject: &Reject| {
        let Reject { source, member, offset, line, number, fault, .. } = reject;
        let member = if member.is_empty() { "null".to_owned() } else { text(member) };
        let ply = fault.ply.min(usize::from(u16::MAX));
        format!(
            "{{\"source\": {}, \"member\": {member}, \"offset\": {offset}, \"line\": {line}, \"game\": {number}, \
             \"ply\": {ply}, \"token\": {}, \"reason\": {}, \"message\": {}}}\n",
            text(names[*source as usize].as_ref()),
            text(&fault.token),
            text(fault.reason),
            text(&fault.message)
        )
    };
    rejects.iter().flat_map(|reject| line(reject).into_bytes()).collect()
}
