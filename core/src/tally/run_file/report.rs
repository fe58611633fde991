//! The report of a run as JSON: the figures of its sources, and its rejects, a line each.

use serde_json::{Value, json};

use crate::tally::reject::Reject;
use crate::tally::run::worker::SourceReport;

/// Returns the figures of a run, or of a stretch of it, as one JSON object; `sources` are by index.
pub fn figures<'a>(
    sources: impl IntoIterator<Item = (u32, &'a SourceReport)>,
    observations: u64,
    superseded: u64,
) -> String {
    let sources: Vec<Value> = sources.into_iter().map(|(index, report)| of_source(index, report)).collect();
    json!({ "observations": observations, "superseded": superseded, "sources": sources }).to_string()
}

fn of_source(index: u32, report: &SourceReport) -> Value {
    let mut figures = json!({
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
    });
    if let Some(digest) = &report.digest {
        figures["digest"] = json!([digest.size, digest.blake3]);
    }
    figures
}

/// Returns rejects as lines of JSON with the columns of REJECTS; `names` are the names of the sources.
pub fn reject_lines<N: AsRef<str>>(rejects: &[Reject], names: &[N]) -> Vec<u8> {
    let mut lines = Vec::new();
    rejects.iter().for_each(|reject| put_reject(&mut lines, reject, names[reject.source as usize].as_ref()));
    lines
}

fn put_reject(lines: &mut Vec<u8>, reject: &Reject, source: &str) {
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
