//! Reads the members of zip files.
//!
//! The directory at the end lists the members. If it is missing or damaged, as in a truncated file, the members are read
//! in their order, up to the damage.

use std::io::{Read, Seek};

use zip::read::{ZipFile, read_zipfile_from_stream};
use zip::result::ZipError;
use zip::{CompressionMethod, SUPPORTED_COMPRESSION_METHODS, ZipArchive};

use super::super::detect::Sniffed;
use super::{ArchiveError, GO_ON, Place, STOP, Step, Walk};
use crate::archive::error::LayerError;

/// The supported compression methods of members.
const METHODS: &str = "store, deflate, deflate64, bzip2, lzma, ppmd, zstd or xz";

impl Walk<'_> {
    pub(super) fn zip(&mut self, place: &Place, mut input: impl Read + Seek, layers: usize) -> Step {
        let mut archive = match ZipArchive::new(&mut input) {
            Ok(archive) => archive,
            Err(error) => {
                let reason = self.zip_error(place, error);
                return self.zip_without_directory(place, input, layers, reason);
            }
        };
        if archive.has_duplicate_names() && self.report(place, Err(shared_names(place))).is_break() {
            return STOP;
        }
        let mut is_empty = true;
        for index in 0..archive.len() {
            let entry = archive.by_index_data(index).map_err(|error| self.zip_error(place, error))?;
            if entry.is_dir() {
                continue;
            }
            is_empty = false;
            let inner = place.within(entry.name_raw());
            if !self.wants(&inner) {
                continue;
            }
            let step = match hindrance(&inner, entry.encrypted(), entry.compression()) {
                Some(reason) => Err(reason),
                None => match archive.by_index(index) {
                    Ok(file) => self.zip_member(&inner, file, layers),
                    Err(error) => Err(self.zip_error(&inner, error)),
                },
            };
            // A bomb may have many members: a few reports are enough.
            if matches!(step, Err(ArchiveError::MaxInflate(..))) && !self.budget.renew() {
                return step;
            }
            if self.report(&inner, step).is_break() {
                return STOP;
            }
        }
        if is_empty { Err(ArchiveError::Empty(place.to_string())) } else { GO_ON }
    }

    fn zip_member(&mut self, place: &Place, file: ZipFile<'_, impl Read>, layers: usize) -> Step {
        let inflated = self.inflated("zip", file);
        self.stream(place, Sniffed::new(inflated), layers)
    }

    /// Reads members in their order. Ends with the error of the directory.
    fn zip_without_directory(
        &mut self,
        place: &Place,
        mut input: impl Read + Seek,
        layers: usize,
        reason: ArchiveError,
    ) -> Step {
        if input.rewind().is_err() {
            return Err(reason);
        }
        while let Ok(Some(file)) = read_zipfile_from_stream(&mut input) {
            if file.is_dir() {
                continue;
            }
            let inner = place.within(file.name_raw());
            if !self.wants(&inner) {
                continue;
            }
            let step = self.zip_member(&inner, file, layers);
            if self.report(&inner, step).is_break() {
                return STOP;
            }
            if self.budget.overdrawn().is_some() {
                break;
            }
        }
        Err(reason)
    }

    fn zip_error(&self, place: &Place, error: ZipError) -> ArchiveError {
        match error {
            ZipError::Io(error) => self.broken(place, 0, LayerError::wrap("zip", error)),
            error => {
                let (place, message) = (place.to_string(), error.to_string());
                ArchiveError::Damaged(place, "zip", 0, message)
            }
        }
    }
}

/// Returns the error of a file whose members share a name.
fn shared_names(place: &Place) -> ArchiveError {
    let message = "members share a name: one of each is read".to_owned();
    ArchiveError::Damaged(place.to_string(), "zip", 0, message)
}

/// Returns why a member cannot be read, by its entry in the directory.
fn hindrance(place: &Place, is_encrypted: bool, method: CompressionMethod) -> Option<ArchiveError> {
    let place = place.to_string();
    if is_encrypted {
        return Some(ArchiveError::Encrypted(place));
    }
    let is_known = SUPPORTED_COMPRESSION_METHODS.contains(&method);
    (!is_known).then(|| ArchiveError::Method(place, method.to_string(), METHODS))
}
