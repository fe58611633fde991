//! Detects the xiangqi formats that are read as a whole, by the first bytes and the suffix.

use memchr::memmem;

use super::kind::Kind;
use crate::archive::Format;
use crate::archive::formats::{ccbridge, coordinates, dhtmlxq, mxq, position_list};

/// Returns what a stream holds if it is one of these formats, or a file that belongs to them and holds no games.
pub(super) fn kind_of(head: &[u8], suffix: &str) -> Option<Kind> {
    let format = if ccbridge::is_record(head) {
        Format::Cbr
    } else if ccbridge::is_library(head) {
        Format::Cbl
    } else if memmem::find(head, b"<ChineseChessRecord").is_some() {
        Format::Cbf
    } else if dhtmlxq::is_page(head) || matches!(suffix, "ubb" | "htm" | "html") {
        Format::DhtmlXq
    } else if mxq::is_mxq(head) || suffix == "mxq" {
        Format::Mxq
    } else if matches!(suffix, "eplib" | "epg") && is_flags(head) {
        return Some(Kind::Foreign("marks of solved puzzles, no positions"));
    } else if position_list::is_position_list(head) || suffix == "eglib" {
        Format::PositionList
    } else if coordinates::is_coordinate_text(head) {
        Format::CoordinateText
    } else {
        match suffix {
            "xqn" => Format::Xqn,
            _ => return None,
        }
    };
    Some(Kind::Whole(format))
}

/// Returns whether a text consists of the digits 0 and 1.
fn is_flags(head: &[u8]) -> bool {
    head.iter().all(|byte| matches!(byte, b'0' | b'1') || byte.is_ascii_whitespace())
}
