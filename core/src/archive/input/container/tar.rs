//! Reads the members of tar files.

use std::io::{self, Read};

use super::super::detect::Sniffed;
use super::super::streams::Exactly;
use super::{ArchiveError, Place, Step, Walk, not_empty};
use crate::archive::error::LayerError;

impl Walk<'_> {
    pub(super) fn tar(&mut self, place: &Place, input: Box<dyn Read + '_>, layers: usize) -> Step {
        let mut archive = tar::Archive::new(input);
        let mut is_empty = true;
        // Where in the tar the last known member lies.
        let mut content = 0;
        for entry in archive.entries().map_err(|error| self.broken(place, 0, named(error)))? {
            let entry = entry.map_err(|error| self.broken(place, content, named(error)))?;
            content = entry.raw_file_position();
            let kind = entry.header().entry_type();
            if kind.is_dir() || kind.is_pax_global_extensions() {
                continue;
            }
            is_empty = false;
            let inner = place.within(&entry.path_bytes());
            self.member(&inner, |walk| {
                if !(kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()) {
                    return Err(ArchiveError::Special(inner.to_string(), "a link or device").into());
                }
                let left = entry.size();
                walk.stream(&inner, Sniffed::new(Exactly { layer: "tar", left, inner: entry }), layers)
            })?;
        }
        not_empty(place, is_empty)
    }
}

/// Puts the name on errors of the tar library, which reports a short archive as "other".
fn named(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.contains("unexpected EOF") || text.contains("failed to read entire block") {
        true => LayerError::truncated("tar"),
        false => LayerError::wrap("tar", error),
    }
}
