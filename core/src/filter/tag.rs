//! Tests of one tag, such as `Name=Value`.
//!
//! | test | holds if the tag's value |
//! |---|---|
//! | `Name=Value` | is the value; an absent tag has the empty one |
//! | `Name!=Value` | is another one, or the tag is absent |
//! | `Name>=Value`, `Name<=Value` | is not smaller, not larger: as numbers if both are, else as texts, which orders dates as PGN writes them; an absent tag fails |
//! | `Name~Regex` | has a place that the regular expression fits; an absent tag fails |
//!
//! Case does not count in names; it does in values (`Name~(?i)regex` where it should not).

use regex::Regex;

use super::FilterError;
use crate::archive::GameRecord;

/// A test of one tag.
#[derive(Debug, Clone)]
pub struct TagTest {
    name: String,
    relation: Relation,
}

#[derive(Debug, Clone)]
enum Relation {
    Equal(String),
    Unequal(String),
    AtLeast(String),
    AtMost(String),
    Fits(Regex),
}

impl TagTest {
    /// Returns the test that a text describes.
    ///
    /// # Errors
    /// [`FilterError`] where it has no name, no operator, or no sound regular expression.
    pub fn parse(text: &str) -> Result<TagTest, FilterError> {
        let error = |expected: &str| FilterError {
            filter: "--tag",
            text: text.to_owned(),
            expected: expected.to_owned(),
        };
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let relation = if let Some(value) = rest.strip_prefix('=') {
            Relation::Equal(value.to_owned())
        } else if let Some(value) = rest.strip_prefix("!=") {
            Relation::Unequal(value.to_owned())
        } else if let Some(value) = rest.strip_prefix(">=") {
            Relation::AtLeast(value.to_owned())
        } else if let Some(value) = rest.strip_prefix("<=") {
            Relation::AtMost(value.to_owned())
        } else if let Some(pattern) = rest.strip_prefix('~') {
            let wrong = |cause| error(&format!("a regular expression: {cause}"));
            Relation::Fits(Regex::new(pattern).map_err(wrong)?)
        } else {
            return Err(error("Name=Value, Name!=Value, Name>=Value, Name<=Value or Name~Regex"));
        };
        if name.is_empty() {
            return Err(error("the name of a tag before the operator"));
        }
        Ok(TagTest { name: name.to_owned(), relation })
    }

    /// Returns whether the game's tag passes.
    pub fn holds<T>(&self, record: &GameRecord<T>) -> bool {
        let value = record.tag(&self.name);
        match &self.relation {
            Relation::Equal(asked) => value.unwrap_or_default() == asked,
            Relation::Unequal(asked) => value.unwrap_or_default() != asked,
            Relation::AtLeast(asked) => value.is_some_and(|value| compare(value, asked).is_ge()),
            Relation::AtMost(asked) => value.is_some_and(|value| compare(value, asked).is_le()),
            Relation::Fits(pattern) => value.is_some_and(|value| pattern.is_match(value)),
        }
    }
}

/// Compares as numbers if both are, else as texts.
fn compare(one: &str, two: &str) -> std::cmp::Ordering {
    match (one.trim().parse::<f64>(), two.trim().parse::<f64>()) {
        (Ok(one), Ok(two)) => one.total_cmp(&two),
        _ => one.cmp(two),
    }
}
