//! Decompression: a stream of compressed bytes in, a stream of plain bytes out, in constant memory.
//!
//! All four decoders go on through concatenated frames, members or streams to the end of the input.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use super::error::LayerError;

/// Compressed bytes read at a time. zstd's own recommendation for its input.
const INPUT_BYTES: usize = 128 << 10;

/// Largest zstd window accepted, as a power of two: all that `zstd --long=31` writes.
const MAX_ZSTD_WINDOW_LOG: u32 = 31;

/// A compression format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Codec {
    /// The format's name in messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Bzip2 => "bzip2",
            Codec::Xz => "xz",
            Codec::Zstd => "zstd",
        }
    }

    /// Returns the codec whose data begin like `head`.
    pub(super) fn of(head: &[u8]) -> Option<Codec> {
        match head {
            [0x1f, 0x8b, ..] => Some(Codec::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, 0x41 | 0x72, ..] => Some(Codec::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Codec::Xz),
            // A frame, or a skippable frame before one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Codec::Zstd),
            _ => None,
        }
    }

    /// Returns the plain bytes of a compressed stream. Errors carry the codec's name.
    ///
    /// # Errors
    /// Where the decoder cannot be set up (zstd, out of memory).
    pub(super) fn decode<'a>(self, input: impl Read + 'a) -> io::Result<Decoded<'a>> {
        let input = BufReader::with_capacity(INPUT_BYTES, input);
        let inner: Box<dyn Read + 'a> = match self {
            Codec::Gzip => Box::new(MultiGzDecoder::new(input)),
            Codec::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(input)),
            Codec::Xz => Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(input)),
            Codec::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(input)?;
                decoder.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        };
        Ok(Decoded { layer: self.name(), inner })
    }
}

/// A decompressing stream that puts its codec's name on its errors.
pub(super) struct Decoded<'a> {
    layer: &'static str,
    inner: Box<dyn Read + 'a>,
}

impl Read for Decoded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| LayerError::wrap(self.layer, error))
    }
}
