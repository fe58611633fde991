//! A tag as the record gives it.

use crate::archive::GameRecord;

/// Returns the value of a tag as written, unless it says nothing.
pub(super) fn tag<'a, T>(record: &'a GameRecord<T>, name: &str) -> Option<&'a str> {
    let found = record.tags.iter().find(|(other, _)| other == name);
    found.map(|(_, value)| &**value).filter(|value| !value.is_empty())
}
