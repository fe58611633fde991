//! Dates of which a part may be unknown, as archives have them (`2010.05.??`) and as people ask for them (`2010`).

use super::FilterError;

/// A year, and its month and day if known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartialDate {
    year: u16,
    /// 1 to 12; 0 = unknown.
    month: u8,
    /// 1 to 31; 0 = unknown.
    day: u8,
}

impl PartialDate {
    /// Returns the date that someone asks for: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, parted by `-`, `.` or `/`; months
    /// and days may have one digit.
    ///
    /// # Errors
    /// [`FilterError`]: the text is not such a date.
    pub fn parse(filter: &'static str, text: &str) -> Result<PartialDate, FilterError> {
        let date = || {
            let mut parts = text.split(['-', '.', '/']);
            let year = parts.next().filter(|part| part.len() == 4)?.parse().ok()?;
            let month = parts.next().map_or(Some(0), |part| number(part, 12))?;
            let day = parts.next().map_or(Some(0), |part| number(part, 31))?;
            parts.next().is_none().then_some(PartialDate { year, month, day })
        };
        let expected = "a year or a date such as 2010, 2010-05 or 2010-05-17".to_owned();
        date().ok_or_else(|| FilterError { filter, text: text.to_owned(), expected })
    }

    /// Returns the date of a record, its text and its year; `None` if the year (0) is unknown. Month and day are
    /// taken from the text where they follow the year.
    pub fn of_record(text: &str, year: u16) -> Option<PartialDate> {
        if year == 0 {
            return None;
        }
        let is_part = |c: char| c.is_ascii_digit() || c == '?';
        let mut parts = text.split(|c| !is_part(c)).filter(|part| !part.is_empty());
        let begins = |part: &&str| part.get(..4).and_then(|first| first.parse().ok()) == Some(year);
        let (month, day) = match parts.find(begins) {
            // All in one: 19840512.
            Some(part) if part.len() == 8 => (part.get(4..6), part.get(6..)),
            Some(_) => (parts.next(), parts.next()),
            None => short_date(text, year),
        };
        let month = month.and_then(|part| number(part, 12)).unwrap_or(0);
        let day = day.filter(|_| month > 0).and_then(|part| number(part, 31)).unwrap_or(0);
        Some(PartialDate { year, month, day })
    }

    /// Returns the year of a date that names no month.
    pub fn only_year(self) -> Option<u16> {
        (self.month == 0).then_some(self.year)
    }

    /// Returns a number that orders days, of the first day that the date may mean.
    pub fn first_day(self) -> u32 {
        u32::from(self.year) * 10_000 + u32::from(self.month) * 100 + u32::from(self.day)
    }

    /// Returns the same of the last day that the date may mean.
    pub fn last_day(self) -> u32 {
        let last = |part: u8| if part == 0 { 99 } else { u32::from(part) };
        u32::from(self.year) * 10_000 + last(self.month) * 100 + last(self.day)
    }
}

/// Returns month and day of a date whose year has two digits and comes first: `03-02-17`.
fn short_date(text: &str, year: u16) -> (Option<&str>, Option<&str>) {
    let mut parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    match parts.next().and_then(|part| part.parse::<u16>().ok()) {
        Some(short) if short == year % 100 => (parts.next(), parts.next()),
        _ => (None, None),
    }
}

/// Returns a number of one or two digits from 1 to `most`.
fn number(part: &str, most: u8) -> Option<u8> {
    let number = part.parse().ok().filter(|_| part.len() <= 2)?;
    (1..=most).contains(&number).then_some(number)
}
