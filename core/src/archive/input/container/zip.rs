//! Reads the members of zip files.
//!
//! The directory at the end lists the members. If it is missing or damaged, as in a truncated file, the members are read
//! in their order, up to the damage.

use std::io::{Read, Seek};

use zip::read::{ZipFile, read_zipfile_from_stream};
use zip::result::ZipError;
use zip::{SUPPORTED_COMPRESSION_METHODS, ZipArchive};

use super::super::detect::Sniffed;
use super::{ArchiveError, End, Place, Step, Walk, not_empty};
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
        if archive.has_duplicate_names() {
            let message = "members share a name: one of each is read".to_owned();
            let reason = ArchiveError::Damaged(place.to_string(), "zip", 0, message);
            self.report(place, Err(reason.into()))?;
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
            let (is_encrypted, method) = (entry.encrypted(), entry.compression());
            let step = if is_encrypted {
                Err(ArchiveError::Encrypted(inner.to_string()).into())
            } else if !SUPPORTED_COMPRESSION_METHODS.contains(&method) {
                Err(ArchiveError::Method(inner.to_string(), method.to_string(), METHODS).into())
            } else {
                match archive.by_index(index) {
                    Ok(file) => self.zip_member(&inner, file, layers),
                    Err(error) => Err(self.zip_error(&inner, error).into()),
                }
            };
            // A bomb may have many members: a few reports are enough.
            if matches!(step, Err(End::Fault(ArchiveError::MaxInflate(..)))) && !self.budget.renew() {
                return step;
            }
            self.report(&inner, step)?;
        }
        not_empty(place, is_empty)
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
            return Err(reason.into());
        }
        while let Ok(Some(file)) = read_zipfile_from_stream(&mut input) {
            if file.is_dir() {
                continue;
            }
            let inner = place.within(file.name_raw());
            self.member(&inner, |walk| walk.zip_member(&inner, file, layers))?;
            if self.budget.overdrawn().is_some() {
                break;
            }
        }
        Err(reason.into())
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
