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

use memchr::memmem;

use super::facts::{Facts, outcome_named};
use super::lines::{Lines, Place};
use super::placement::Placement;
use crate::archive::formats::lines::Squares;
use crate::archive::text::plain::{decode_gb18030, decode_guessed};
use crate::archive::{Block, Defect, GameRecord, ReadOptions, Sink, Start};
use crate::game::Side;
use crate::xiangqi::{Square, Token};

mod items;

use items::{Item, Key};

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
    let (items, defect) = items::read(text, offset);
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
            match item.key {
                Key::Text(name) => self.facts.add(name, (self.decode)(item.value)),
                Key::Result => self.facts.outcome = outcome_named(&(self.decode)(item.value)),
                _ => {}
            }
        }
        let mut read = self.main_line(items);
        if read.is_ok() && options.variations {
            read = self.variations(items);
        }
        if options.notes {
            self.comments(items);
        }
        let started = self.start(items);
        read.and(started)
    }

    fn main_line(&mut self, items: &[Item<'_>]) -> Result<(), Defect> {
        let main = items.iter().find(|item| item.key == Key::MainLine);
        let mut place = Place::START;
        let mut collected = place;
        let mut plies = 0;
        let read = main.map_or(Ok(()), |item| {
            item.moves().try_for_each(|squares| {
                place = self.lines.extend(place, Some(squares?));
                collected = if place.line.is_some() { place } else { collected };
                plies += 1;
                Ok(())
            })
        });
        self.ids.insert(0, Extent { collected: Some(collected), first_ply: 0, last_ply: plies });
        read
    }

    /// Reads the variations, each after the line that it leaves.
    fn variations(&mut self, items: &[Item<'_>]) -> Result<(), Defect> {
        let mut leaving: HashMap<u32, Vec<(u32, u32, &Item<'_>)>> = HashMap::new();
        for item in items {
            if let Key::Variation { leaves, ply, id } = item.key {
                leaving.entry(leaves).or_default().push((ply, id, item));
            }
        }
        let mut known = vec![0];
        while let Some(line) = known.pop() {
            for (ply, id, item) in leaving.remove(&line).unwrap_or_default() {
                self.variation(line, ply, id, item)?;
                known.push(id);
            }
        }
        match leaving.iter().min_by_key(|(line, _)| **line) {
            None => Ok(()),
            Some((line, left)) => {
                Err(left[0].2.defect("variation", format!("expected a line {line}, which this line leaves")))
            }
        }
    }

    fn variation(&mut self, leaves: u32, ply: u32, id: u32, item: &Item<'_>) -> Result<(), Defect> {
        let Some(parent) = self.ids.get(&leaves).copied() else { return Ok(()) };
        let (first, last) = (parent.first_ply + 1, parent.last_ply.saturating_add(1));
        if !(first..=last).contains(&ply) || self.ids.contains_key(&id) {
            let message = format!("expected a new line and a ply of {first} to {last}, found {id} and {ply}");
            return Err(item.defect("variation", message));
        }
        let mut place = parent.before(ply);
        let mut collected = None;
        let mut plies = 0;
        for squares in item.moves() {
            let squares = Some(squares?);
            place = place.map(|place| match plies {
                0 => self.lines.branch(place, squares),
                _ => self.lines.extend(place, squares),
            });
            collected = place.filter(|place| place.line.is_some()).or(collected);
            plies += 1;
        }
        if plies > 0 {
            self.ids.insert(id, Extent { collected, first_ply: ply - 1, last_ply: ply - 1 + plies });
        }
        Ok(())
    }

    /// Puts comments behind the ply they name, or behind the line's last where it has fewer.
    fn comments(&mut self, items: &[Item<'_>]) {
        for item in items {
            let Key::Comment { line, ply } = item.key else { continue };
            let Some(extent) = self.ids.get(&line) else { continue };
            let Some(place) = extent.behind(ply) else { continue };
            self.lines.comment(place, &items::unescape(&(self.decode)(item.value)));
        }
    }

    fn start(&mut self, items: &[Item<'_>]) -> Result<(), Defect> {
        let first = self.lines.first_origin();
        let has_text = |item: &&Item<'_>| !item.value.trim_ascii().is_empty();
        if let Some(item) = items.iter().filter(has_text).find(|item| item.key == Key::Fen) {
            let fen = (self.decode)(item.value);
            self.facts.start = match Placement::read(&fen) {
                Some((placement, side)) => placement.start_of(first, side.unwrap_or(Side::First)),
                None => Start::Fen(fen),
            };
        } else if let Some(item) = items.iter().filter(has_text).find(|item| item.key == Key::Placement) {
            let placement = item.placement()?;
            self.facts.start = placement.start_of(first, Side::First);
        }
        Ok(())
    }
}

/// Returns the square of two digits, file and row.
fn square_of(file: u8, row: u8) -> Option<Square> {
    let digit = |byte: u8| byte.checked_sub(b'0').filter(|&digit| digit < 10);
    Square::at(digit(file)?, 9 - digit(row)?)
}

fn squares_of(digits: [u8; 4]) -> Squares {
    Some((square_of(digits[0], digits[1])?, square_of(digits[2], digits[3])?))
}
