//! The engine as a server of UCI and UCCI.
//!
//! One loop serves both dialects and both games. It reads on the calling thread and searches on another, so it answers
//! `isready` and `stop` during a search. It reports invalid input as an `info string` and continues. Each `go` is
//! answered exactly once.
//!
//! | file | step |
//! |---|---|
//! | `command`, `uci`, `ucci` | line → command |
//! | `options` | the table of options and their values |
//! | `thinking` | one search, on its own thread → its lines and answer |
//! | `player` | commands → positions and searches of one game |
//! | `dialect` | messages and answers → lines |

mod command;
mod dialect;
mod options;
mod player;
mod thinking;
mod ucci;
mod uci;

#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::chess::Chess;
use crate::game::{Either, GameId, of_game, with};
use crate::xiangqi::Xiangqi;

pub use command::Refusal;
pub use dialect::{Dialect, OpenBook, Variant};

use command::{Command, Setup, Words};
use dialect::Channel;
use options::{Name, Options, Value};
use player::Player;

/// Maximum length of a line in bytes, enough for a game of tens of thousands of moves; chosen.
const MOST_BYTES: u64 = 1 << 20;

/// Reads the next line, at most [`MOST_BYTES`] of it, and whether it was cut; `None` at the end of input. Invalid UTF-8
/// is replaced.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<(String, bool)>> {
    let mut bytes = Vec::new();
    if input.take(MOST_BYTES).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let is_cut = bytes.len() as u64 == MOST_BYTES && bytes.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
    }
    Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), is_cut)))
}

/// The output, shared by several threads.
struct Output(Mutex<Box<dyn Write + Send>>);

impl Output {
    /// Writes a line. Errors are ignored: a reader that has gone also ends the input.
    fn write_line(&self, line: &str) {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.write_all(format!("{line}\n").as_bytes()).and_then(|()| stream.flush());
    }
}

/// A player of either game.
type AnyPlayer = Either<Box<Player<Chess>>, Box<Player<Xiangqi>>>;

/// A session, from the greeting to `quit`.
pub struct Session {
    channel: Channel,
    options: Options,
    /// Options set in advance, reported as defaults.
    given: Vec<(Name, Value)>,
    player: AnyPlayer,
    is_debug: bool,
}

impl Session {
    /// Returns a session that writes to `output`. `given` are names and values of options; `open_book` opens books that are not
    /// clustered.
    ///
    /// # Errors
    /// [`Refusal`] if an option is unknown, or its value is invalid or names a missing file.
    pub fn new(
        dialect: Dialect,
        variant: Variant,
        given: &[(String, String)],
        output: Box<dyn Write + Send>,
        open_book: OpenBook,
    ) -> Result<Session, Refusal> {
        let output = Arc::new(Output(Mutex::new(output)));
        let channel = Channel { dialect, variant, output, open_book };
        let mut options = Options::default();
        let mut values = Vec::new();
        for (name, text) in given {
            let spec = options::find(dialect, variant, name)?;
            let value = spec.parse(name, text)?;
            options.set(spec.name, value.clone());
            values.push((spec.name, value));
        }
        let player = player_of(&channel, &options)?;
        Ok(Session { channel, options, given: values, player, is_debug: false })
    }

    /// Refuses books that are not clustered.
    pub fn clustered_only() -> OpenBook {
        Arc::new(|path, _| Err(format!("{}: expected a clustered book (.book)", path.display())))
    }

    /// Serves until `quit` or the end of input. At the end of input a search that ends by itself is finished, so
    /// commands can come from a file.
    ///
    /// # Errors
    /// Errors of the input.
    pub fn run(mut self, mut input: impl BufRead) -> io::Result<()> {
        while let Some((line, is_cut)) = read_line(&mut input)? {
            if is_cut {
                self.channel.report("a line was cut after a million bytes");
            }
            match self.obey(&line) {
                Ok(true) => {}
                Ok(false) => {
                    with!(&mut self.player, player => player.stop());
                    if self.channel.dialect == Dialect::Ucci {
                        self.channel.output.write_line("bye");
                    }
                    return Ok(());
                }
                Err(why) => self.channel.report(&why.to_string()),
            }
        }
        with!(&mut self.player, player => player.finish());
        Ok(())
    }

    /// Obeys a line; returns whether the session continues.
    fn obey(&mut self, line: &str) -> Result<bool, Refusal> {
        let dialect = self.channel.dialect;
        if self.is_debug {
            self.channel.report(&format!("heard {line}"));
        }
        match parse(dialect, line)? {
            Command::Hello => {
                let lines = dialect.hello(self.channel.variant, &self.given);
                lines.iter().for_each(|line| self.channel.output.write_line(line));
            }
            Command::IsReady => self.channel.output.write_line("readyok"),
            Command::NewGame => with!(&mut self.player, player => player.new_game(&self.options)),
            Command::Debug(is_on) => self.is_debug = is_on,
            Command::Set { name, value } => self.set(&name, &value)?,
            Command::Position(setup) => with!(&mut self.player, player => player.set_up(&setup)?),
            Command::Ban(moves) => with!(&mut self.player, player => player.ban(&moves)?),
            Command::Go(go) => with!(&mut self.player, player => player.go(&go, &self.options)),
            Command::Stop => {
                // UCCI answers `stop` even if no `go` is open.
                if !with!(&mut self.player, player => player.stop()) && dialect == Dialect::Ucci {
                    self.channel.output.write_line("nobestmove");
                }
            }
            Command::PonderHit => with!(&mut self.player, player => player.ponder_hit()),
            Command::Show => self.channel.report(&with!(&self.player, player => player.describe())),
            Command::Quit => return Ok(false),
            Command::Nothing => {}
        }
        Ok(true)
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        let spec = options::find(self.channel.dialect, self.channel.variant, name)?;
        let value = spec.parse(name, text)?;
        match (spec.name, &value) {
            (Name::ClearHash | Name::NewGame, _) => {
                with!(&mut self.player, player => player.new_game(&self.options))
            }
            (Name::Debug, Value::Flag(is_on)) => self.is_debug = *is_on,
            (Name::Variant, Value::Word(word)) => return self.change_variant(word),
            _ => {
                let mut options = self.options.clone();
                options.set(spec.name, value);
                with!(&mut self.player, player => player.configure(&options))?;
                self.options = options;
            }
        }
        Ok(())
    }

    /// Switches to another game, at its start; the book of the old game is closed. If only the ranks change, the
    /// position stays.
    fn change_variant(&mut self, word: &str) -> Result<(), Refusal> {
        let variant = if word == GameId::Xiangqi.name() { Variant::Xiangqi } else { Variant::Chess };
        with!(&mut self.player, player => player.stop());
        let channel = Channel { variant, ..self.channel.clone() };
        if variant.game() == self.channel.variant.game() {
            with!(&mut self.player, player => player.use_variant(variant));
        } else {
            let mut options = self.options.clone();
            Options::BOOKS.into_iter().for_each(|name| options.set(name, Value::Text(String::new())));
            self.player = player_of(&channel, &options)?;
            self.options = options;
        }
        self.channel = channel;
        Ok(())
    }
}

/// Parses a line of a dialect.
fn parse(dialect: Dialect, line: &str) -> Result<Command, Refusal> {
    let mut words = Words::of(line);
    let Some(command) = words.next() else { return Ok(Command::Nothing) };
    Ok(match (command, dialect) {
        ("uci", Dialect::Uci) | ("ucci", Dialect::Ucci) => Command::Hello,
        ("isready", _) => Command::IsReady,
        ("setoption", Dialect::Uci) => uci::parse_option(&mut words)?,
        ("setoption", Dialect::Ucci) => ucci::parse_option(&mut words)?,
        ("position", _) => Command::Position(Setup::of(&mut words)),
        ("go", Dialect::Uci) => Command::Go(Box::new(uci::parse_go(words))),
        ("go", Dialect::Ucci) => Command::Go(Box::new(ucci::parse_go(words))),
        ("stop", _) => Command::Stop,
        // `ponderhit draw` in UCCI: the opponent has played the move and offers a draw, which is ignored.
        ("ponderhit", _) => Command::PonderHit,
        ("quit", _) => Command::Quit,
        ("banmoves", Dialect::Ucci) => Command::Ban(words.map(str::to_owned).collect()),
        ("ucinewgame", Dialect::Uci) => Command::NewGame,
        ("debug", Dialect::Uci) => match words.next() {
            Some("on") => Command::Debug(true),
            Some("off") => Command::Debug(false),
            _ => return Err(Refusal("debug: expected on or off".to_owned())),
        },
        ("d", Dialect::Uci) => Command::Show,
        // Sent by GUIs to commercial engines.
        ("register", Dialect::Uci) => Command::Nothing,
        _ => return Err(Refusal(format!("unknown command \"{command}\": ignored"))),
    })
}

/// Returns a player of the channel's game.
fn player_of(channel: &Channel, options: &Options) -> Result<AnyPlayer, Refusal> {
    Ok(of_game!(channel.variant.game(), Box::new(Player::new(channel.clone(), options)?)))
}
