//! Reads the members of 7z files.
//!
//! Members lie in blocks, each compressed as one stream, and come in the order of the blocks; damage costs the rest of
//! its block. Members without content come last.

use std::io::{self, Read, Seek};

use sevenz_rust2::{Archive, ArchiveEntry, Block, BlockDecoder, EncoderMethod, Error, Password};

use super::super::detect::Sniffed;
use super::{ArchiveError, End, Place, Step, Walk, not_empty};
use crate::archive::error::LayerError;

/// The supported compression methods of blocks. The filters of 7z are supported too.
const METHODS: &str = "copy, lzma, lzma2, ppmd or bzip2";

impl Walk<'_> {
    pub(super) fn sevenz(&mut self, place: &Place, mut input: impl Read + Seek, layers: usize) -> Step {
        let archive = Archive::read(&mut input, &Password::empty());
        let archive = archive.map_err(|error| self.sevenz_error(place, error))?;
        for index in 0..archive.blocks.len() {
            let step = self.sevenz_block(place, &archive, index, &mut input, layers);
            // The members behind a bomb in its block are lost with it.
            if matches!(step, Err(End::Fault(ArchiveError::MaxInflate(..)))) && !self.budget.renew() {
                return step;
            }
            self.report(place, step)?;
        }
        for entry in archive.files.iter().filter(|entry| !entry.is_directory && !has_content(entry)) {
            let inner = place.within(entry.name.as_bytes());
            self.report(&inner, not_empty(&inner, true))?;
        }
        not_empty(place, archive.files.iter().all(|entry| entry.is_directory))
    }

    fn sevenz_block(
        &mut self,
        place: &Place,
        archive: &Archive,
        index: usize,
        input: &mut (impl Read + Seek),
        layers: usize,
    ) -> Step {
        let password = Password::empty();
        let decoder = BlockDecoder::new(1, index, archive, &password, input);
        let first = archive.stream_map.block_first_file_index[index];
        let entries = &archive.files[first..first + decoder.entry_count()];
        if !entries.iter().any(|entry| self.wants(&place.within(entry.name.as_bytes()))) {
            return Ok(());
        }
        let (mut met, mut step) = (0, Ok(()));
        let decoded = if is_encrypted(&archive.blocks[index]) {
            Err(Error::PasswordRequired)
        } else {
            decoder.for_each_entries(&mut |entry, content| {
                met += 1;
                if has_content(entry) {
                    step = self.sevenz_member(&place.within(entry.name.as_bytes()), content, layers)?;
                }
                Ok(step.is_ok())
            })
        };
        step?;
        let Err(error) = decoded else { return Ok(()) };
        // Damage makes the members behind it unreadable.
        for entry in entries[met..].iter().filter(|entry| has_content(entry)) {
            let inner = place.within(entry.name.as_bytes());
            let reason = self.sevenz_error(&inner, clone(&error));
            self.report(&inner, Err(reason.into()))?;
        }
        Ok(())
    }

    /// Reads a member to its end, where the next one begins. The step of a bomb is its error, which is reported once.
    fn sevenz_member(&mut self, place: &Place, content: &mut dyn Read, layers: usize) -> io::Result<Step> {
        let mut content = self.inflated("7z", content);
        let step = if self.wants(place) {
            let inner: Box<dyn Read + '_> = Box::new(&mut content);
            self.stream(place, Sniffed::new(inner), layers)
        } else {
            Ok(())
        };
        if matches!(step, Err(End::Fault(ArchiveError::MaxInflate(..)))) {
            return Ok(step);
        }
        if let Err(end) = self.report(place, step) {
            return Ok(Err(end));
        }
        match io::copy(&mut content, &mut io::sink()) {
            Err(error) if self.budget.overdrawn().is_some() => Ok(Err(self.broken(place, 0, error).into())),
            drained => drained.map(|_| Ok(())),
        }
    }

    fn sevenz_error(&self, place: &Place, error: Error) -> ArchiveError {
        let message = match error {
            Error::Io(error, _) => return self.broken(place, 0, LayerError::wrap("7z", error)),
            Error::PasswordRequired => return ArchiveError::Encrypted(place.to_string()),
            Error::UnsupportedCompressionMethod(method) => {
                let place = place.to_string();
                return match method == EncoderMethod::AES256_SHA256.name() {
                    true => ArchiveError::Encrypted(place),
                    false => ArchiveError::Method(place, method, METHODS),
                };
            }
            Error::Other(message) | Error::Unsupported(message) => message.into_owned(),
            error => error.to_string(),
        };
        ArchiveError::Damaged(place.to_string(), "7z", 0, message)
    }
}

fn has_content(entry: &ArchiveEntry) -> bool {
    entry.has_stream && entry.size > 0
}

fn is_encrypted(block: &Block) -> bool {
    block.coders.iter().any(|coder| coder.encoder_method_id() == EncoderMethod::ID_AES256_SHA256)
}

/// Returns an error once more, for the next member that it costs.
fn clone(error: &Error) -> Error {
    match error {
        Error::PasswordRequired => Error::PasswordRequired,
        Error::UnsupportedCompressionMethod(method) => Error::UnsupportedCompressionMethod(method.clone()),
        Error::Io(error, _) => Error::Io(io::Error::new(error.kind(), error.to_string()), Default::default()),
        error => Error::Other(error.to_string().into()),
    }
}
