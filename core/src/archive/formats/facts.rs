//! The facts of a game besides its moves: fields by the names of PGN tags, which become fields and tags of the record.

use std::borrow::Cow;

use super::lines::Lines;
use crate::archive::record::year_of;
use crate::archive::{Defect, GameRecord, ReadOptions, Start};
use crate::game::Outcome;

/// Fields of a game, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    fields: Vec<(Cow<'static, str>, String)>,
    /// As in [`GameRecord::variant`].
    pub(super) variant: Option<String>,
    pub(super) outcome: Outcome,
    pub(super) start: Start,
    pub(super) defect: Option<Defect>,
}

impl Facts {
    /// Adds a field, unless it is empty.
    pub(super) fn add(&mut self, name: impl Into<Cow<'static, str>>, text: String) {
        if !text.is_empty() {
            self.fields.push((name.into(), text));
        }
    }

    /// Adds the tags of a start position and notes it as the start.
    pub(super) fn add_start(&mut self, start: Start) {
        if let Start::Fen(fen) = &start {
            self.add("SetUp", "1".to_owned());
            self.add("FEN", fen.clone());
        }
        self.start = start;
    }

    /// Returns the text of the first of these fields that there is, empty without any.
    fn get(&self, names: &[&str]) -> String {
        let text = |name: &&str| self.fields.iter().find(|(known, _)| known == name).map(|(_, text)| text);
        names.iter().find_map(text).cloned().unwrap_or_default()
    }

    /// Notes what is wrong; the first defect stays.
    pub(super) fn fail(&mut self, defect: Defect) {
        self.defect.get_or_insert(defect);
    }

    pub(super) fn into_record<T: Copy>(
        self,
        lines: Lines<T>,
        options: &ReadOptions,
        offset: u64,
        length: u64,
    ) -> GameRecord<T> {
        let mut record = GameRecord::at(offset, length);
        lines.fill(&mut record);
        self.fill(options, &mut record);
        record
    }

    /// Copies the fields to a record. A missing event is replaced by the title.
    pub(super) fn fill<T>(mut self, options: &ReadOptions, record: &mut GameRecord<T>) {
        if self.outcome != Outcome::Unknown {
            self.add("Result", self.outcome.name().to_owned());
        }
        record.first_player = self.get(&["Red", "White"]);
        record.second_player = self.get(&["Black"]);
        record.ratings = [["RedElo", "WhiteElo"], ["BlackElo"; 2]].map(|names| rating(&self.get(&names)));
        record.date = self.get(&["Date", "UTCDate"]);
        record.year = year_of(&record.date);
        record.event = self.get(&["Event", "Title"]);
        record.outcome = self.outcome;
        record.variant = self.variant;
        record.start = self.start;
        record.defect = self.defect;
        if options.tags {
            record.tags = self.fields.into_iter().map(|(name, text)| (name.into_owned(), text)).collect();
        }
    }
}

/// Returns the result by the number that XQF and CCBridge give it.
pub(super) const fn outcome_of(code: u8) -> Outcome {
    match code {
        1 => Outcome::FirstWins,
        2 => Outcome::SecondWins,
        3 => Outcome::Draw,
        _ => Outcome::Unknown,
    }
}

/// Every Chinese name of a result that [`outcome_named`] knows holds one of them.
pub(super) const OUTCOME_SIGNS: [&str; 4] = ["胜", "勝", "负", "和"];

/// Returns the result that a text of either language names.
pub(super) fn outcome_named(text: &str) -> Outcome {
    match text.trim() {
        "红胜" | "红方胜" | "红先胜" | "紅勝" | "先胜" | "胜" | "1-0" | "W" => {
            Outcome::FirstWins
        }
        "黑胜" | "黑方胜" | "红先负" | "黑勝" | "先负" | "负" | "0-1" | "L" => {
            Outcome::SecondWins
        }
        "和" | "和棋" | "和局" | "红先和" | "先和" | "1/2-1/2" | "D" => Outcome::Draw,
        _ => Outcome::Unknown,
    }
}

fn rating(text: &str) -> u16 {
    text.trim().parse().unwrap_or(0)
}
