//! Decompresses streams in constant memory.
//!
//! All four decoders go on through concatenated frames, members or streams to the end of the input.

use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use zstd::stream::raw::{DParameter, Decoder};
use zstd::stream::zio::Reader;

/// Compressed bytes read at a time. zstd's own recommendation for its input.
const INPUT_BYTES: usize = 128 << 10;

/// Largest zstd window accepted, as a power of two: all that `zstd --long=31` writes.
const MAX_ZSTD_WINDOW_LOG: u32 = 31;

/// Most memory that xz data may ask for: what the largest dictionary of the xz tool, 1.5 GiB, needs. The decoder takes
/// of it what the content fills.
const MAX_XZ_MEMORY_KIB: u32 = 2 << 20;

/// A compression format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Codec {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Codec::Gzip => "gzip",
            Codec::Bzip2 => "bzip2",
            Codec::Xz => "xz",
            Codec::Zstd => "zstd",
        }
    }

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

    /// Returns the plain bytes of a compressed stream.
    ///
    /// # Errors
    /// Where the decoder cannot be set up (zstd, out of memory).
    pub(super) fn decode<'a>(self, input: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
        let input = BufReader::with_capacity(INPUT_BYTES, input);
        Ok(match self {
            Codec::Gzip => Box::new(GzipMembers { current: Some(GzDecoder::new(input)) }),
            Codec::Bzip2 => Box::new(MultiBzDecoder::new(input)),
            Codec::Xz => Box::new(XzReader::new_mem_limit(input, true, MAX_XZ_MEMORY_KIB)),
            Codec::Zstd => {
                let mut decoder = Decoder::new()?;
                decoder.set_parameter(DParameter::WindowLogMax(MAX_ZSTD_WINDOW_LOG))?;
                Box::new(Reader::new(input, decoder))
            }
        })
    }
}

/// The members of a gzip file, one after the other. Zeros after the last one fill up a block of tape or disk.
struct GzipMembers<R> {
    current: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.current {
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let rest = self.current.take().map(GzDecoder::into_inner);
            self.current = rest.map(next_member).transpose()?.flatten();
        }
        Ok(0)
    }
}

/// Returns the member that comes next, if one does.
fn next_member<R: BufRead>(mut rest: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let bytes = rest.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        if bytes.is_empty() {
            return Ok(None);
        }
        if zeros < bytes.len() {
            rest.consume(zeros);
            return Ok(Some(GzDecoder::new(rest)));
        }
        rest.consume(zeros);
    }
}
