//! The sizes in the header of a page, in Thrift's compact protocol, as the format of Parquet has them.
//!
//! | field | type | content |
//! |---|---|---|
//! | 1 | i32 | kind of page |
//! | 2 | i32 | bytes of the page, decompressed |
//! | 3 | i32 | bytes of the page as they stand |
//! | 4 | i32 | checksum, if there is one |
//! | 5, 7, 8 | struct | of a page of data, a dictionary, a page of data of the second version; its first field, an i32, is the number of values |
//!
//! Source: <https://github.com/apache/parquet-format>, `parquet.thrift`.

const I32: u8 = 5;
const STRUCT: u8 = 12;

/// What a page promises to become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Promise {
    pub(super) bytes: u64,
    pub(super) values: u64,
    /// Whether it is a dictionary.
    pub(super) is_dictionary: bool,
}

impl Promise {
    /// Reads it from the bytes at the head of a page; `None` if they are no header, or have a negative size.
    pub(super) fn of(header: &[u8]) -> Option<Promise> {
        let mut fields = Fields { bytes: header, number: 0 };
        fields.expect(1)?;
        let bytes = fields.expect(2)?;
        fields.expect(3)?;
        let mut kind = fields.next()?;
        if kind == (4, I32) {
            varint(&mut fields.bytes)?;
            kind = fields.next()?;
        }
        let values = match kind {
            (5 | 7 | 8, STRUCT) => Fields { bytes: fields.bytes, number: 0 }.expect(1)?,
            // An index, which has no values.
            _ => 0,
        };
        Some(Promise { bytes, values, is_dictionary: kind == (7, STRUCT) })
    }
}

/// The fields of a struct that are still to be read.
struct Fields<'a> {
    bytes: &'a [u8],
    /// Number of the last field.
    number: u8,
}

impl Fields<'_> {
    /// Reads the number and type of the next field.
    fn next(&mut self) -> Option<(u8, u8)> {
        let (head, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        self.number = self.number.checked_add(head >> 4)?;
        Some((self.number, head & 15))
    }

    /// Reads a field of this number that is an i32 and not negative.
    fn expect(&mut self, number: u8) -> Option<u64> {
        if self.next()? != (number, I32) {
            return None;
        }
        let zigzag = varint(&mut self.bytes)?;
        let value = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        u64::try_from(value).ok()
    }
}

/// Reads a number of seven bits a byte, and goes behind it; `None` where there is none of 64 bits.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        value |= part << shift;
        if byte & 0x80 == 0 {
            return (shift < 63 || part < 2).then_some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind 0, 300 bytes, 150 bytes as they stand.
    const SIZES: [u8; 8] = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 0xac, 0x02];

    #[test]
    fn sizes_of_each_kind_of_page_are_read() {
        for (rest, values, is_dictionary) in [
            (&[0x2c, 0x15, 0x14][..], 10, false),
            (&[0x4c, 0x15, 0x14], 10, true),
            (&[0x5c, 0x15, 0x14], 10, false),
            // With a checksum of −1.
            (&[0x15, 0x01, 0x1c, 0x15, 0x14], 10, false),
            // An index.
            (&[0x3c, 0x00], 0, false),
        ] {
            let header = [&SIZES, rest].concat();
            assert_eq!(Promise::of(&header), Some(Promise { bytes: 300, values, is_dictionary }), "{rest:?}");
        }
    }

    #[test]
    fn what_is_no_header_is_none() {
        for header in [
            &b""[..],
            &SIZES,
            b"PAR1PAR1",
            // Minus one byte.
            &[0x15, 0, 0x15, 0x01, 0x15, 0x02, 0x2c, 0x15, 0x14],
            // A number without end.
            &[0x15, 0, 0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert_eq!(Promise::of(header), None, "{header:?}");
        }
    }
}
