//! Rewrites downloads that hold games as PGN while they are read.
//!
//! | text | from |
//! |---|---|
//! | JSON, `{"games": [{"pgn": …}]}` or a list of such games | api.chess.com |
//! | JSON, a game after the other, moves in SAN | lichess |
//! | TSV, `eco name pgn` | lichess-org/chess-openings |
//! | `FORMAT WXF … START{ … }END` | clubs of xiangqi |
//!
//! Places of games are those in the PGN.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use memchr::memmem;
use serde_json::Value;

use crate::archive::Format;
use crate::archive::error::LayerError;
use crate::archive::text::plain::{MARK, Pieces, decode_text};

/// Largest value of JSON, and largest text of another form: a month of games has under 100 MB.
const MAX_BYTES: u64 = 256 << 20;

/// What a download is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Openings,
    Wxf,
}

impl Form {
    pub(super) fn of(head: &[u8]) -> Option<Form> {
        let text = head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start();
        let has_key = |key: &str| memmem::find(text, key.as_bytes()).is_some();
        match text {
            [b'{' | b'[', ..] if ["\"games\":", "\"pgn\":", "\"players\":"].into_iter().any(has_key) => {
                Some(Form::Json)
            }
            _ if text.starts_with(b"eco\tname\tpgn") => Some(Form::Openings),
            _ if text.starts_with(b"FORMAT") && has_key("START{") => Some(Form::Wxf),
            _ => None,
        }
    }

    pub(super) const fn format(self) -> Format {
        if matches!(self, Form::Wxf) { Format::XiangqiPgn } else { Format::Pgn }
    }

    pub(super) fn rewritten<'a>(self, input: impl Read + 'a) -> Box<dyn Read + 'a> {
        match self {
            Form::Json => Box::new(Pieces::new(Games::new(input))),
            Form::Openings => whole(input, openings),
            Form::Wxf => whole(input, wxf_games),
        }
    }
}

/// Returns a text that is rewritten as a whole.
fn whole<'a>(input: impl Read + 'a, rewrite: fn(&str) -> String) -> Box<dyn Read + 'a> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    let text = read.and_then(|count| check_size(count as u64)).map(|()| rewrite(&decode_text(&bytes)));
    Box::new(Pieces::new(std::iter::once(text)))
}

fn check_size(count: u64) -> io::Result<()> {
    let message = "more than 256 MiB without a break";
    if count > MAX_BYTES { Err(LayerError::wrap("text", io::Error::other(message))) } else { Ok(()) }
}

/// A stream of which only so many bytes are read until the count is set back.
struct Counted<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.set(self.count.get() + count as u64);
        check_size(self.count.get()).map(|()| count)
    }
}

/// The games of values of JSON, as PGN.
struct Games<R: Read> {
    values: serde_json::StreamDeserializer<'static, serde_json::de::IoRead<BufReader<Counted<R>>>, Value>,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Games<R> {
    fn new(inner: R) -> Games<R> {
        let count = Rc::new(Cell::new(0));
        let mut input = BufReader::new(Counted { inner, count: Rc::clone(&count) });
        if input.fill_buf().is_ok_and(|head| head.starts_with(MARK)) {
            input.consume(MARK.len());
        }
        Games { values: serde_json::Deserializer::from_reader(input).into_iter(), count }
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        self.count.set(0);
        let value = self.values.next()?;
        Some(value.map_err(|error| LayerError::wrap("JSON", error.into())).map(|value| games_of(&value)))
    }
}

fn games_of(value: &Value) -> String {
    match value.as_array().or_else(|| value["games"].as_array()) {
        Some(games) => games.iter().map(game_of).collect(),
        None => game_of(value),
    }
}

/// Returns a game as PGN: the text that it has, or one made of its fields as lichess names them.
fn game_of(game: &Value) -> String {
    if let Some(pgn) = game["pgn"].as_str() {
        return format!("{}\n\n", pgn.trim());
    }
    let text = |place: &str| game.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |place: &str| game.pointer(place).and_then(Value::as_u64).map(|number| number.to_string());
    let name = |player: &str| match number(&format!("{player}/aiLevel")) {
        Some(level) => format!("lichess AI level {level}"),
        None => text(&format!("{player}/user/name")),
    };
    let increment = || number("/clock/increment").unwrap_or("0".to_owned());
    let time_control = number("/clock/initial").map(|base| format!("{base}+{}", increment()));
    let result = match (game["winner"].as_str(), game["status"].as_str()) {
        (Some("white"), _) => "1-0",
        (Some("black"), _) => "0-1",
        (_, Some("draw" | "stalemate" | "outoftime" | "timeout" | "insufficientMaterialClaim")) => "1/2-1/2",
        _ => "*",
    };
    let site = text("/id");
    let kind = if game["rated"].as_bool() == Some(true) { "rated" } else { "casual" };
    let variant = text("/variant");
    let tags = [
        ("Event", format!("{kind} {} game", text("/speed")).replace("  ", " ")),
        ("Site", if site.is_empty() { text("/url") } else { format!("https://lichess.org/{site}") }),
        ("Date", game["createdAt"].as_i64().map_or_else(String::new, date_of)),
        ("White", name("/players/white")),
        ("Black", name("/players/black")),
        ("Result", result.to_owned()),
        ("WhiteElo", number("/players/white/rating").unwrap_or_default()),
        ("BlackElo", number("/players/black/rating").unwrap_or_default()),
        ("TimeControl", time_control.unwrap_or_default()),
        ("Variant", if matches!(&*variant, "standard" | "fromPosition") { String::new() } else { variant }),
        ("FEN", text("/initialFen")),
        ("ECO", text("/opening/eco")),
        ("Opening", text("/opening/name")),
    ];
    pgn_of(&tags, &text("/moves"), result)
}

/// Returns the date of a time in milliseconds since 1970, in UTC (Howard Hinnant, `civil_from_days`).
fn date_of(milliseconds: i64) -> String {
    let days = milliseconds.div_euclid(86_400_000) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}.{month:02}.{day:02}", year + era * 400 + i64::from(month <= 2))
}

/// Returns a game as PGN; empty tags are left out.
fn pgn_of(tags: &[(&str, String)], moves: &str, result: &str) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    let known = tags.iter().filter(|(_, value)| !value.is_empty());
    let lines: String = known.map(|(name, value)| format!("[{name} \"{}\"]\n", escaped(value))).collect();
    format!("{lines}\n{moves} {result}\n\n")
}

/// Returns a table of openings as PGN, a game a line.
fn openings(table: &str) -> String {
    let rows = table.lines().skip(1).filter(|row| !row.trim().is_empty());
    let game = |row: &str| {
        let mut cells = row.split('\t').map(str::to_owned);
        let mut next = || cells.next().unwrap_or_default();
        let tags = [("Event", "?".to_owned()), ("ECO", next()), ("Opening", next())];
        pgn_of(&tags, &next(), "*")
    };
    rows.map(game).collect()
}

/// Returns games of format WXF as PGN.
fn wxf_games(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((head, behind)) = rest.split_once("START{") {
        let (moves, behind) = behind.split_once("}END").unwrap_or((behind, ""));
        let field = |name: &str| {
            let is_named = |line: &&str| line.split_whitespace().next() == Some(name);
            head.lines().find(is_named).map_or("", |line| line.trim_start()[name.len()..].trim())
        };
        let part =
            |text: &str, index: usize| text.split(';').nth(index).unwrap_or_default().trim().to_owned();
        let result = field("RESULT").split_whitespace().next().unwrap_or("*");
        let tags = [
            ("Game", "Chinese Chess".to_owned()),
            ("Event", part(field("EVENT"), 0)),
            ("Site", field("PLACE").to_owned()),
            ("Date", field("DATE").split_whitespace().next().unwrap_or_default().replace('-', ".")),
            ("Red", part(field("RED"), 0)),
            ("Black", part(field("BLACK"), 0)),
            ("Result", result.to_owned()),
            ("RedElo", part(field("RED"), 1)),
            ("BlackElo", part(field("BLACK"), 1)),
            ("FEN", field("FEN").to_owned()),
        ];
        out += &pgn_of(&tags, moves.trim(), result);
        rest = behind;
    }
    out
}
