//! The columns of a database → the tags of its games, in the order in which lichess writes them.
//!
//! The columns that `pgn-to-aix --lichess` makes are put together again to the tags that they come from. Other columns
//! of texts or numbers are tags of their own name, as `pgn-to-aix --headers` makes them.
//!
//! Source: <https://github.com/thomas-daniels/aix>, `docs/columns.md`.

use std::io::Write;

use super::columns::Cell;

/// How the value of a tag is made of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it stands.
    Plain,
    /// Behind the address of a site.
    Link(&'static str),
    /// With a sign.
    Signed,
    /// Seconds and increment; without them the game was by correspondence.
    TimeControl,
    /// The day, or the time of day, of microseconds since 1970.
    Date,
    Time,
}

/// The tags of lichess: name, columns, form.
const LICHESS: [(&str, &[&str], Form); 17] = [
    ("Event", &["tournament"], Form::Link("https://lichess.org/tournament/")),
    ("Site", &["lichess_id"], Form::Link("https://lichess.org/")),
    ("White", &["white"], Form::Plain),
    ("Black", &["black"], Form::Plain),
    ("Result", &["result"], Form::Plain),
    ("UTCDate", &["utc_timestamp"], Form::Date),
    ("UTCTime", &["utc_timestamp"], Form::Time),
    ("WhiteElo", &["white_rating"], Form::Plain),
    ("BlackElo", &["black_rating"], Form::Plain),
    ("WhiteRatingDiff", &["white_rating_diff"], Form::Signed),
    ("BlackRatingDiff", &["black_rating_diff"], Form::Signed),
    ("WhiteTitle", &["white_title"], Form::Plain),
    ("BlackTitle", &["black_title"], Form::Plain),
    ("ECO", &["eco"], Form::Plain),
    ("Opening", &["opening"], Form::Plain),
    ("TimeControl", &["time_initial", "time_increment"], Form::TimeControl),
    ("Termination", &["termination"], Form::Plain),
];

/// A tag of all games.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    /// Places of its columns among those that are read.
    columns: Vec<usize>,
    form: Form,
}

/// Returns the tags that the columns of these names make.
pub(super) fn fields_of(columns: &[&str]) -> Vec<Field> {
    let place = |name: &&str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let known = LICHESS.iter().filter_map(|&(name, parts, form)| {
        let columns = parts.iter().map(place).collect::<Option<Vec<_>>>()?;
        Some(Field { name: name.to_owned(), columns, form })
    });
    let mut fields: Vec<Field> = known.collect();
    for (place, name) in columns.iter().enumerate() {
        let is_used = fields.iter().any(|field| field.columns.contains(&place));
        if !is_used && is_tag(name) {
            fields.push(Field { name: (*name).to_owned(), columns: vec![place], form: Form::Plain });
        }
    }
    fields
}

/// Returns whether a column can be a tag by its name.
fn is_tag(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && (1..=255).contains(&name.len())
}

impl Field {
    /// Appends the value in a row; returns whether it has one.
    pub(super) fn write(&self, cells: &[Cell<'_>], value: &mut Vec<u8>) -> bool {
        let cell = |part: usize| self.columns.get(part).and_then(|&place| cells.get(place)).copied();
        let first = cell(0).unwrap_or(Cell::Null);
        let written = match (self.form, first) {
            (Form::TimeControl, _) => match (first.number(), cell(1).and_then(Cell::number)) {
                (Some(seconds), Some(increment)) => write!(value, "{seconds}+{increment}"),
                _ => write!(value, "-"),
            },
            (_, Cell::Null) => return false,
            (Form::Link(site), Cell::Text(text)) => {
                value.extend_from_slice(site.as_bytes());
                value.write_all(text)
            }
            (_, Cell::Text(text)) => value.write_all(text),
            (Form::Signed, Cell::Number(number)) => write!(value, "{number:+}"),
            (Form::Date, Cell::Number(moment)) => write_date(moment, value),
            (Form::Time, Cell::Number(moment)) => write_time(moment, value),
            (Form::Plain | Form::Link(_), Cell::Number(number)) => write!(value, "{number}"),
        };
        // Memory takes everything.
        written.is_ok()
    }
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;

/// Writes the day of a moment, by the algorithm of Howard Hinnant, "chrono-compatible low-level date algorithms".
fn write_date(moment: i64, value: &mut Vec<u8>) -> std::io::Result<()> {
    let days = moment.div_euclid(DAY) + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    write!(value, "{year:04}.{month:02}.{day:02}")
}

fn write_time(moment: i64, value: &mut Vec<u8>) -> std::io::Result<()> {
    let second = moment.rem_euclid(DAY) / SECOND;
    write!(value, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags_of(columns: &[&str], cells: &[Cell<'_>]) -> Vec<(String, String)> {
        let mut tags = Vec::new();
        for field in fields_of(columns) {
            let mut value = Vec::new();
            if field.write(cells, &mut value) {
                tags.push((field.name, String::from_utf8(value).unwrap()));
            }
        }
        tags
    }

    #[test]
    fn columns_of_lichess_are_its_tags_again() {
        let columns = [
            "lichess_id",
            "tournament",
            "white",
            "white_rating",
            "time_initial",
            "time_increment",
            "result",
            "white_rating_diff",
            "eco",
            "utc_timestamp",
        ];
        let moment = 1_356_998_400 * SECOND + (3 * 3600 + 7 * 60 + 9) * SECOND;
        let cells = [
            Cell::Text(b"j1dkb5dw"),
            Cell::Null,
            Cell::Text(b"BFG9k"),
            Cell::Number(1639),
            Cell::Number(600),
            Cell::Number(8),
            Cell::Text(b"1-0"),
            Cell::Number(5),
            Cell::Text(b"C00"),
            Cell::Number(moment),
        ];
        let expected = [
            ("Site", "https://lichess.org/j1dkb5dw"),
            ("White", "BFG9k"),
            ("Result", "1-0"),
            ("UTCDate", "2013.01.01"),
            ("UTCTime", "03:07:09"),
            ("WhiteElo", "1639"),
            ("WhiteRatingDiff", "+5"),
            ("ECO", "C00"),
            ("TimeControl", "600+8"),
        ];
        let expected: Vec<_> = expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(tags_of(&columns, &cells), expected);
    }

    #[test]
    fn other_columns_are_tags_of_their_name() {
        let tags = tags_of(
            &["White", "ply_count", "no tag", "Round"],
            &[Cell::Text(b"A"), Cell::Number(7), Cell::Null, Cell::Text(b"3")],
        );
        let names: Vec<_> = tags.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["White", "ply_count", "Round"]);
        assert_eq!(tags_of(&["time_initial", "time_increment"], &[Cell::Null, Cell::Null])[0].1, "-");
    }

    #[test]
    fn days_before_and_after_leap_days_are_right() {
        for (days, text) in [
            (-1, "1969.12.31"),
            (0, "1970.01.01"),
            (11_016, "2000.02.29"),
            (19_782, "2024.02.29"),
            (-719_468, "0000.03.01"),
        ] {
            let mut value = Vec::new();
            write_date(days * DAY, &mut value).unwrap();
            assert_eq!(value, text.as_bytes());
        }
    }
}
