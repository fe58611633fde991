//! WXF move texts, `C2=5`. Writes four upper-case characters with `=` for sideways; reads either case, the letters of
//! other writers (`N` for `H`, `B` for `E`, `S` for `P`, `G` for `A`) and `.` for `=`. The rules for several pieces on
//! a column stand in `relative`.

use crate::game::{Move, MoveError, Notation};
use crate::xiangqi::notation::relative::{Described, Direction, Ordinal};
use crate::xiangqi::notation::{Letters, Token, resolve_text, signs};
use crate::xiangqi::{Kind, Xiangqi};

/// The World Xiangqi Federation's notation, `H2+3`.
#[derive(Debug, Clone, Copy)]
pub struct WxfNotation;

impl Notation<Xiangqi> for WxfNotation {
    fn name(&self) -> &'static str {
        "WXF"
    }

    fn parse(&self, position: &Xiangqi, text: &str) -> Result<Move, MoveError> {
        let letters = Letters::of(text).filter(|letters| letters.iter().all(char::is_ascii));
        let relative = letters.and_then(|letters| signs::read(&letters));
        resolve_text(position, text, relative.map(Token::Relative))
    }

    fn format(&self, position: &Xiangqi, m: Move) -> String {
        let Some(described) = Described::of(position, m) else { return String::new() };
        let (letter, column) = (letter(described.kind), digit(described.column));
        let [a, b] = match described.place {
            Ordinal::Only => [letter, column],
            Ordinal::OneOf { index, count } => one_of(index, count, letter, column),
            Ordinal::OneOfColumn { index: 0, .. } => [column, '+'],
            Ordinal::OneOfColumn { index, count } if index + 1 == count => [column, '-'],
            Ordinal::OneOfColumn { .. } => [column, column],
        };
        String::from_iter([a, b, direction(described.direction), digit(described.number)])
    }
}

/// Returns the characters for one of two to five pieces on a column.
fn one_of(index: usize, count: usize, letter: char, column: char) -> [char; 2] {
    let behind = count - 1 - index;
    match index.cmp(&behind) {
        std::cmp::Ordering::Equal => [letter, column],
        std::cmp::Ordering::Less if index == 0 && count > 3 => ['+', '+'],
        std::cmp::Ordering::Less => [letter, '+'],
        std::cmp::Ordering::Greater if behind == 0 && count > 3 => ['-', '-'],
        std::cmp::Ordering::Greater => [letter, '-'],
    }
}

fn digit(number: u8) -> char {
    char::from(b'0' + number)
}

/// Returns the letter of a kind.
pub(super) const fn letter(kind: Kind) -> char {
    match kind {
        Kind::Elephant => 'E',
        Kind::Horse => 'H',
        _ => kind.letter(),
    }
}

/// Returns the kind of a letter.
pub(super) const fn kind(letter: char) -> Option<Kind> {
    match letter.to_ascii_uppercase() {
        'S' => Some(Kind::Pawn),
        'G' => Some(Kind::Advisor),
        letter => Kind::from_letter(letter),
    }
}

/// Returns the sign of a direction.
pub(super) const fn direction(direction: Direction) -> char {
    match direction {
        Direction::Forward => '+',
        Direction::Back => '-',
        Direction::Sideways => '=',
    }
}
