//! Folds the signs of typographers and input methods into the ASCII signs of moves, results and tags.
//!
//! Only what can mean one thing is folded: Cyrillic `с` looks like the file c, but capital `С` is a bishop in Russian.

use encoding_rs::Encoding;

/// Signs of a word that a message quotes; a move has fewer.
const MOST_QUOTED: usize = 40;

/// Returns the ASCII sign that a sign stands for, others unchanged: hyphens for dashes, narrow for full-width letters, and
/// Latin for Cyrillic and Greek letters that look like a file or the O of castling.
pub(in crate::archive) fn fold(sign: char) -> char {
    match sign {
        '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
        '\u{d7}' | '\u{445}' | '\u{2715}' | '\u{2716}' => 'x',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{430}' => 'a',
        '\u{441}' => 'c',
        '\u{435}' => 'e',
        '\u{41e}' | '\u{39f}' => 'O',
        '\u{43e}' | '\u{3bf}' => 'o',
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2033}' => '"',
        _ => half_width(sign),
    }
}

/// Returns the ASCII sign that a full-width one stands for, others unchanged (Unicode block FF00).
pub(in crate::archive) fn half_width(sign: char) -> char {
    match sign {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(sign as u32 - 0xfee0).unwrap_or(sign),
        '\u{3000}' => ' ',
        _ => sign,
    }
}

/// Returns whether a sign is a blank of Unicode: of any width, without width, or a line break.
pub(in crate::archive) fn is_wide_blank(sign: char) -> bool {
    matches!(
        sign,
        '\u{85}' | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{2060}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// Returns whether a sign may stand behind a number or a move like an ASCII point: `…`, and full-width points and commas.
pub(in crate::archive) fn is_wide_point(sign: char) -> bool {
    matches!(sign, '\u{2024}'..='\u{2026}' | '\u{3001}' | '\u{3002}' | '\u{ff0c}' | '\u{ff0e}')
}

/// Returns the sign at the head of a text and its length, in UTF-8 or else, as a single byte, in a character set.
pub(in crate::archive) fn sign_at(text: &[u8], charset: &'static Encoding) -> Option<(char, usize)> {
    let head = &text[..text.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(head) => head,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    if let Some(sign) = valid.chars().next() {
        return Some((sign, sign.len_utf8()));
    }
    let (decoded, _) = charset.decode_without_bom_handling(head.get(..1)?);
    decoded.chars().next().map(|sign| (sign, 1))
}

pub(in crate::archive) fn folded(word: &[u8], charset: &'static Encoding) -> String {
    let mut text = String::with_capacity(word.len());
    let mut rest = word;
    while let Some((sign, length)) = sign_at(rest, charset) {
        text.push(fold(sign));
        rest = &rest[length..];
    }
    text
}

/// Returns a word as a message quotes it: its beginning, with the code points of what is not ASCII.
pub(in crate::archive) fn quoted(word: &str) -> String {
    let mut shown: String = word.chars().take(MOST_QUOTED).collect();
    let points: Vec<_> = shown
        .chars()
        .filter(|sign| !sign.is_ascii() && !('\u{4e00}'..='\u{9fff}').contains(sign))
        .map(|sign| format!("U+{:04X}", sign as u32))
        .collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    match points.is_empty() {
        true => format!("\"{shown}\""),
        false => format!("\"{shown}\" ({})", points.join(" ")),
    }
}

#[cfg(test)]
mod tests;
