//! What a batch says beside its rows and games, as JSON: the figures of its sources, and its rejects, a line each.

use serde_json::{Value, json};

use crate::tally::reject::Reject;
use crate::tally::run::batches::Batch;
use crate::tally::run::worker::SourceReport;

/// Returns the figures of a batch as one JSON object.
pub fn figures(batch: &Batch) -> String {
    let sources: Vec<Value> = batch.sources.iter().map(|(index, report)| of_source(*index, report)).collect();
    let report = json!({
        "observations": batch.observations,
        "superseded": batch.superseded,
        "sources": sources,
    });
    report.to_string()
}

fn of_source(index: u32, report: &SourceReport) -> Value {
    json!({
        "index": index,
        "games_read": report.games_read,
        "games_used": report.games_used,
        "duplicates": report.duplicates,
        "other_tags": report.other_tags,
        "variations": report.variations.lines,
        "variations_cut": report.variations.cut,
        "filtered": report.filtered,
        "variants": report.variants,
        "rejects": report.rejects,
        "skipped": report.skipped,
    })
}

/// Appends a reject of a source as a line of JSON with the columns of REJECTS.
pub fn put_reject(lines: &mut Vec<u8>, reject: &Reject, source: &str) {
    let text = |text: &str| Value::from(text).to_string();
    let member = if reject.member.is_empty() { "null".to_owned() } else { text(&reject.member) };
    let Reject { offset, line, number, fault, .. } = reject;
    let ply = fault.ply.min(usize::from(u16::MAX));
    let written = format!(
        "{{\"source\": {}, \"member\": {member}, \"offset\": {offset}, \"line\": {line}, \"game\": {number}, \
         \"ply\": {ply}, \"token\": {}, \"reason\": {}, \"message\": {}}}\n",
        text(source),
        text(&fault.token),
        text(fault.reason),
        text(&fault.message)
    );
    lines.extend_from_slice(written.as_bytes());
}
