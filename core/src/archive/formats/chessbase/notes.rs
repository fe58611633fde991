//! Annotations: 14 bytes of head, then one after the other.
//!
//! | offset | size | field of an annotation |
//! |---|---|---|
//! | 0 | 3 | number of the move in the order of the file; −1: before the first |
//! | 3 | 1 | kind: 2 text behind the move, 130 text before it, 3 glyphs |
//! | 4 | 2 | bytes of the annotation, these six included |
//! | 6 | | text: two bytes (one tells the language), then the text; glyphs: up to three numbers, as in PGN |
//!
//! Other kinds (coloured squares, clocks, pictures …) are left out, and so is what follows a damaged annotation: it costs
//! no game.

use super::header::text_of;
use crate::archive::formats::cursor::Cursor;
use crate::archive::formats::lines::Place;
use crate::archive::{Defect, GameRecord, Note, NoteKind, ReadOptions};
use crate::chess::Token;

const HEAD_BYTES: usize = 14;
const ANNOTATION_BYTES: usize = 6;
const TEXT_BEHIND: u8 = 2;
const TEXT_BEFORE: u8 = 130;
const GLYPHS: u8 = 3;
const BEFORE_ALL: usize = 0xff_ffff;

/// Adds the annotations to a record whose moves lie at these places.
pub(super) fn read(
    annotations: &[u8],
    places: &[Place],
    options: &ReadOptions,
    record: &mut GameRecord<Token>,
) {
    let mut cursor = Cursor::new(annotations, 0);
    if cursor.take(HEAD_BYTES, "annotations").is_err() {
        return;
    }
    while !cursor.rest().is_empty() {
        let Ok((number, kind, content)) = next(&mut cursor) else { return };
        let behind = match number {
            BEFORE_ALL => Some(Place::START),
            number => places.get(number).copied(),
        };
        let Some((line, ply)) = behind.and_then(|place| Some((place.line?, place.ply))) else { continue };
        let has_notes = options.notes;
        match kind {
            GLYPHS => {
                let glyphs = content.iter().filter(|glyph| **glyph != 0);
                glyphs.for_each(|&glyph| record.add_glyph(line, ply, glyph, has_notes));
            }
            TEXT_BEHIND | TEXT_BEFORE if has_notes => {
                let ply = if kind == TEXT_BEFORE { ply.saturating_sub(1) } else { ply };
                let text = text_of(content.get(2..).unwrap_or_default());
                if !text.is_empty() {
                    record.notes.push(Note { line, ply, kind: NoteKind::Comment(text) });
                }
            }
            _ => {}
        }
    }
}

fn next<'a>(cursor: &mut Cursor<'a>) -> Result<(usize, u8, &'a [u8]), Defect> {
    let [high, middle, low, kind, ..] = cursor.array::<4>("an annotation")?;
    let size = u16::from_be_bytes(cursor.array("the size of an annotation")?);
    let content = cursor.take(usize::from(size).saturating_sub(ANNOTATION_BYTES), "an annotation")?;
    let number = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
    Ok((number, kind, content))
}
