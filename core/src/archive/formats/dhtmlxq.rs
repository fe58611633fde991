//! Reads DhtmlXQ (东萍): games in web pages and forum posts.
//!
//! `[DhtmlXQ] [DhtmlXQ_key]value[/DhtmlXQ_key] … [/DhtmlXQ]`; a page without the outer brackets is one game.
//!
//! | key | value |
//! |---|---|
//! | `binit` | 32 squares of two digits, in the slots of a placement; a file of 9 = absent |
//! | `fen` | the start, instead of `binit` |
//! | `movelist` | the main line, four digits a move |
//! | `move_P_S_I` | line I: it leaves line P (0 = main), its first move stands in place of ply S of the game |
//! | `commentN`, `commentI_N` | comment behind N plies of the game on line 0 or I; two bars break the line, `\u4e2d` is a character |
//! | `title event date place round red black result …` | texts |
//!
//! A square is its file (0 to 8 from red's left) and its row (0 = black's back rank). The side of the first piece moved
//! moves first. Pages are UTF-8 or GBK.

use std::collections::HashMap;

use memchr::{memchr_iter, memmem};

use super::facts::{Facts, outcome_named};
use super::lines::{Lines, Place};
use super::placement::{Placement, square_of};
use crate::archive::text::plain::{decode_gb18030, decode_guessed};
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::game::Side;
use crate::xiangqi::Token;

/// Texts and the tags that they become.
const TEXTS: [(&str, &str); 20] = [
    ("title", "Title"),
    ("event", "Event"),
    ("date", "Date"),
    ("place", "Site"),
    ("round", "Round"),
    ("red", "Red"),
    ("redname", "Red"),
    ("black", "Black"),
    ("blackname", "Black"),
    ("redteam", "RedTeam"),
    ("blackteam", "BlackTeam"),
    ("redlevel", "RedTitle"),
    ("blacklevel", "BlackTitle"),
    ("timerule", "TimeControl"),
    ("class", "Class"),
    ("type", "Type"),
    ("open", "Opening"),
    ("author", "Author"),
    ("remark", "Remark"),
    ("owner", "Owner"),
];

const OPEN: &[u8] = b"[DhtmlXQ]";
const CLOSE: &[u8] = b"[/DhtmlXQ]";

/// Returns whether a text holds an item of a game.
pub(in crate::archive) fn is_page(head: &[u8]) -> bool {
    memmem::find(head, OPEN).is_some() || memmem::find(head, b"[DhtmlXQ_").is_some()
}

pub(in crate::archive) fn read_block(block: &Block, options: &ReadOptions, sink: Sink<'_, Token>) {
    let is_utf8 = str::from_utf8(&block.bytes).is_ok();
    for (offset, text) in games(&block.bytes) {
        sink(&read_game(text, block.offset + offset as u64, is_utf8, options));
    }
}

/// Returns the games of a page: what stands between outer brackets, or all of it.
fn games(page: &[u8]) -> Vec<(usize, &[u8])> {
    let starts: Vec<usize> = memmem::find_iter(page, OPEN).collect();
    if starts.is_empty() {
        return vec![(0, page)];
    }
    let ends = starts.iter().skip(1).copied().chain([page.len()]);
    let game = |(&start, limit): (&usize, usize)| {
        let text = &page[start..limit];
        let length = memmem::find(text, CLOSE).map_or(text.len(), |end| end + CLOSE.len());
        (start, &text[..length])
    };
    starts.iter().zip(ends).map(game).collect()
}

fn read_game(text: &[u8], offset: u64, is_utf8: bool, options: &ReadOptions) -> GameRecord<Token> {
    let decode = if is_utf8 { decode_guessed } else { decode_gb18030 };
    let mut game = Game { facts: Facts::default(), lines: Lines::new(options), decode, ids: HashMap::new() };
    let (items, defect) = items_of(text, offset);
    let read = game.read(&items, offset, options);
    read.err().into_iter().chain(defect).for_each(|defect| game.facts.fail(defect));
    game.facts.into_record(game.lines, options, offset, text.len() as u64)
}

/// Where a line of the page lies among the lines collected.
#[derive(Debug, Clone, Copy)]
struct Extent {
    /// Behind the last of its moves that is collected; `None` where none is.
    collected: Option<Place>,
    first_ply: u32,
    last_ply: u32,
}

impl Extent {
    /// Returns the place on this line before a ply, if its line is collected.
    fn before(self, ply: u32) -> Option<Place> {
        Some(Place::on(self.collected?.line?, ply - 1))
    }

    /// Returns the place after `ply` plies or after the line's last, `None` if it is not collected.
    fn behind(self, ply: u32) -> Option<Place> {
        let place = Place::on(self.collected?.line?, ply.clamp(self.first_ply, self.last_ply));
        self.collected.filter(|collected| place.ply <= collected.ply).and(Some(place))
    }
}

struct Game {
    facts: Facts,
    lines: Lines<Token>,
    decode: fn(&[u8]) -> String,
    /// The page's numbers of lines.
    ids: HashMap<u32, Extent>,
}

impl Game {
    fn read(&mut self, items: &[Item<'_>], offset: u64, options: &ReadOptions) -> Result<(), Defect> {
        if items.is_empty() {
            return Err(Defect::new("no-game", offset, "expected a game between [DhtmlXQ] and [/DhtmlXQ]"));
        }
        for item in items {
            if let Some((_, tag)) = TEXTS.iter().find(|(name, _)| *name == item.name) {
                self.facts.add(*tag, (self.decode)(item.value));
            } else if item.name == "result" {
                self.facts.outcome = outcome_named(&(self.decode)(item.value));
            }
        }
        let is_main = |item: &&Item<'_>| item.name == "movelist" || item.numbers("move_") == [0, 1, 0];
        let none = Item { name: "", value: &[], offset };
        let mut read = self.line(0, items.iter().find(is_main).unwrap_or(&none), 0, Some(Place::START));
        if read.is_ok() && options.variations {
            read = self.variations(items);
        }
        if options.notes {
            self.comments(items);
        }
        let started = self.start(items);
        read.and(started)
    }

    /// Reads the moves of a line, which stand behind `plies` plies of the game, up to the first invalid one.
    fn line(&mut self, id: u32, item: &Item<'_>, plies: u32, mut place: Option<Place>) -> Result<(), Defect> {
        let is_main = id == 0;
        let mut extent = Extent { collected: place.filter(|_| is_main), first_ply: plies, last_ply: plies };
        let read = item.moves().try_for_each(|token| {
            let (token, is_alternative) = (Some(token?), !is_main && extent.last_ply == plies);
            place = place.map(|place| self.lines.put(place, token, is_alternative));
            extent.collected = place.filter(|place| place.line.is_some()).or(extent.collected);
            extent.last_ply += 1;
            Ok(())
        });
        if is_main || read.is_ok() && extent.last_ply > plies {
            self.ids.insert(id, extent);
        }
        read
    }

    /// Reads the variations, each after the line that it leaves.
    fn variations(&mut self, items: &[Item<'_>]) -> Result<(), Defect> {
        let mut leaving: HashMap<u32, Vec<(u32, u32, &Item<'_>)>> = HashMap::new();
        for item in items {
            if let &[leaves, ply, id] = &item.numbers("move_")[..]
                && (leaves, ply, id) != (0, 1, 0)
            {
                leaving.entry(leaves).or_default().push((ply, id, item));
            }
        }
        let mut known = vec![0];
        while let Some(line) = known.pop() {
            for (ply, id, item) in leaving.remove(&line).unwrap_or_default() {
                known.push(id);
                let Some(&parent) = self.ids.get(&line) else { continue };
                let (first, last) = (parent.first_ply + 1, parent.last_ply.saturating_add(1));
                if !(first..=last).contains(&ply) || self.ids.contains_key(&id) {
                    let expected = format!("expected a new line and a ply of {first} to {last}");
                    return Err(item.defect("variation", format!("{expected}, found {id} and {ply}")));
                }
                self.line(id, item, ply - 1, parent.before(ply))?;
            }
        }
        match leaving.iter().min_by_key(|(line, _)| **line) {
            None => Ok(()),
            Some((line, left)) => {
                Err(left[0].2.defect("variation", format!("expected a line {line}, which this line leaves")))
            }
        }
    }

    /// Puts comments behind the ply they name, or behind the line's last where it has fewer.
    fn comments(&mut self, items: &[Item<'_>]) {
        for item in items {
            let (line, ply) = match item.numbers("comment")[..] {
                [ply] => (0, ply),
                [line, ply] => (line, ply),
                _ => continue,
            };
            if let Some(place) = self.ids.get(&line).and_then(|extent| extent.behind(ply)) {
                self.lines.comment(place, &unescape(&(self.decode)(item.value)));
            }
        }
    }

    fn start(&mut self, items: &[Item<'_>]) -> Result<(), Defect> {
        let first = self.lines.first_origin();
        let has_text = |item: &&Item<'_>| !item.value.trim_ascii().is_empty();
        if let Some(item) = items.iter().filter(has_text).find(|item| item.name == "fen") {
            let fen = (self.decode)(item.value);
            self.facts.start = match Placement::read(&fen) {
                Some((placement, side)) => placement.start_of(first, side.unwrap_or(Side::First)),
                None => Start::Fen(fen),
            };
        } else if let Some(item) = items.iter().filter(has_text).find(|item| item.name == "binit") {
            let placement = item.placement()?;
            self.facts.start = placement.start_of(first, Side::First);
        }
        Ok(())
    }
}

/// A key of a game and its value.
struct Item<'a> {
    name: &'a str,
    value: &'a [u8],
    /// Offset of the value in the member.
    offset: u64,
}

impl Item<'_> {
    fn defect(&self, reason: &'static str, message: impl Into<String>) -> Defect {
        Defect::new(reason, self.offset, message)
    }

    /// Returns the numbers behind the beginning of a name: `move_0_12_3`; none of another name.
    fn numbers(&self, beginning: &str) -> Vec<u32> {
        let numbers = self.name.strip_prefix(beginning).map(|numbers| numbers.split('_').map(str::parse));
        numbers.and_then(|numbers| numbers.collect::<Result<_, _>>().ok()).unwrap_or_default()
    }

    /// Returns the moves of a line, up to the first invalid one.
    fn moves(&self) -> impl Iterator<Item = Result<Token, Defect>> {
        let mut digits = self.value.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace());
        let offset = self.offset;
        std::iter::from_fn(move || {
            let (index, &file) = digits.next()?;
            let [row, to_file, to_row] =
                std::array::from_fn(|_| digits.next().map_or(0, |(_, &digit)| digit));
            let squares = square_of(file, row).zip(square_of(to_file, to_row));
            Some(squares.map(|(from, to)| Token::new(from, to)).ok_or_else(|| {
                let message = "expected a move of four digits such as 7747";
                Defect::new("bad-move", offset + index as u64, message)
            }))
        })
    }

    /// Returns the pieces of 32 squares.
    fn placement(&self) -> Result<Placement, Defect> {
        let digits: Vec<u8> = self.value.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        if digits.len() != 64 {
            return Err(self.defect("placement", format!("expected 64 digits, found {}", digits.len())));
        }
        let mut placement = Placement::empty();
        for (slot, pair) in digits.chunks_exact(2).enumerate() {
            match (pair[0], square_of(pair[0], pair[1])) {
                (b'9', _) => {}
                (_, Some(square)) => placement.put_slot(slot, square),
                (_, None) => {
                    return Err(self.defect("placement", "expected file and row of each piece"));
                }
            }
        }
        placement.checked().map_err(|message| self.defect("placement", message))?;
        Ok(placement)
    }
}

/// Returns the items of a text at offset `base` and the first thing wrong with their brackets.
fn items_of(text: &[u8], base: u64) -> (Vec<Item<'_>>, Option<Defect>) {
    let mut items = Vec::new();
    let mut defect = None;
    // Name, place of the opening bracket and of the value.
    let mut open: Option<(&[u8], usize, usize)> = None;
    let mut unclosed = |name: &[u8], place: usize| {
        let message = format!("expected [/DhtmlXQ_{}]", String::from_utf8_lossy(name));
        defect.get_or_insert(Defect::new("unterminated-item", base + place as u64, message));
    };
    for place in memchr_iter(b'[', text) {
        let rest = &text[place + 1..];
        let (is_close, rest) = rest.strip_prefix(b"/").map_or((false, rest), |rest| (true, rest));
        let Some(rest) = rest.strip_prefix(b"DhtmlXQ_") else { continue };
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if rest.get(length) != Some(&b']') {
            continue;
        }
        let name = &rest[..length];
        match open.take() {
            Some((opened, _, start)) if is_close && opened == name => {
                items.push(Item {
                    name: str::from_utf8(name).unwrap_or_default(),
                    value: &text[start..place],
                    offset: base + start as u64,
                });
            }
            Some((opened, place, _)) => unclosed(opened, place),
            None => {}
        }
        if !is_close {
            open = Some((name, place, text.len() - rest.len() + length + 1));
        }
    }
    if let Some((name, place, _)) = open {
        unclosed(name, place);
    }
    (items, defect)
}

fn unescape(text: &str) -> String {
    let text = text.replace("||", "\n");
    let mut parts = text.split("\\u");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match code.and_then(char::from_u32) {
            Some(character) => {
                plain.push(character);
                plain.push_str(&part[4..]);
            }
            None => {
                plain.push_str("\\u");
                plain.push_str(part);
            }
        }
    }
    plain
}
