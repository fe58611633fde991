//! Reads the members of tar files.

use std::io::{self, Read};

use super::super::detect::Sniffed;
use super::super::streams::Exactly;
use super::{ArchiveError, GO_ON, Place, STOP, Step, Walk};
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
            if !self.wants(&inner) {
                continue;
            }
            let step = if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
                let left = entry.size();
                self.stream(&inner, Sniffed::new(Exactly { layer: "tar", left, inner: entry }), layers)
            } else {
                Err(ArchiveError::Special(inner.to_string(), "a link or device"))
            };
            if self.report(&inner, step).is_break() {
                return STOP;
            }
        }
        if is_empty { Err(ArchiveError::Empty(place.to_string())) } else { GO_ON }
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
