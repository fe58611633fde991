//! The engine as a server of UCI and UCCI.
//!
//! One loop serves both dialects and both games. It reads on the calling thread and searches on another, so it answers
//! `isready` and `stop` during a search. It reports invalid input as an `info string` and continues.
//!
//! | file | step |
//! |---|---|
//! | `lines` | stream → lines of bounded length, and back |
//! | `command`, `uci`, `ucci` | line → command |
//! | `words` | what both dialects speak of |
//! | `voice` | what was found → line |
//! | `options` | the table of options and their values |
//! | `board` | setup → position |
//! | `player` | commands → positions and searches of one game |
//! | `thinking` | one search, on its own thread → its lines and answer |
//! | `signal` | stop and ponderhit → the running search |

mod board;
mod command;
mod lines;
mod options;
mod player;
mod signal;
mod thinking;
mod ucci;
mod uci;
mod voice;
mod words;

#[cfg(test)]
mod tests;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use crate::chess::Chess;
use crate::game::GameId;
use crate::xiangqi::Xiangqi;

pub use command::Refusal;
pub use words::{Dialect, Variant};

use command::Command;
use lines::{Heard, Speaker, read_line};
use options::{Name, Options, Value};
use player::{Play, Player};
use voice::Voice;

/// A session, from the greeting to `quit`.
pub struct Session {
    voice: Voice,
    options: Options,
    /// Options set in advance, reported as defaults.
    given: Vec<(Name, Value)>,
    player: Box<dyn Play>,
    is_debug: bool,
}

/// Whether the session continues.
#[derive(PartialEq, Eq)]
enum Next {
    Line,
    Goodbye,
}

impl Session {
    /// Returns a session that writes to `output`. `given` are names and values of options.
    ///
    /// # Errors
    /// [`Refusal`] if an option is unknown, or its value is invalid or names a missing file.
    pub fn new(
        dialect: Dialect,
        variant: Variant,
        given: &[(String, String)],
        output: Box<dyn Write + Send>,
    ) -> Result<Session, Refusal> {
        let voice = Voice { dialect, variant, speaker: Arc::new(Speaker::new(output)) };
        let mut options = Options::default();
        let mut values = Vec::new();
        for (name, text) in given {
            let spec = options::find(dialect, variant, name)?;
            let value = spec.parse(name, text)?;
            options.set(spec.name, value.clone());
            values.push((spec.name, value));
        }
        let player = player_of(&voice, &options)?;
        Ok(Session { voice, options, given: values, player, is_debug: false })
    }

    /// Serves until `quit` or the end of input. At the end of input a search that ends by itself is finished, so
    /// commands can come from a file.
    ///
    /// # Errors
    /// Errors of the input.
    pub fn run(mut self, mut input: impl BufRead) -> io::Result<()> {
        loop {
            match read_line(&mut input)? {
                Heard::Line(line) => match self.hear(&line) {
                    Ok(Next::Line) => {}
                    Ok(Next::Goodbye) => break,
                    Err(why) => self.voice.tell(&why.to_string()),
                },
                Heard::TooLong => self.voice.tell("ignored a line of over a million bytes"),
                Heard::End => {
                    self.player.finish();
                    return Ok(());
                }
            }
        }
        self.player.stop();
        if let Some(word) = self.voice.dialect.goodbye() {
            self.voice.speaker.say(&word);
        }
        Ok(())
    }

    fn hear(&mut self, line: &str) -> Result<Next, Refusal> {
        let dialect = self.voice.dialect;
        if self.is_debug {
            self.voice.tell(&format!("heard {line}"));
        }
        match dialect.parse(line)? {
            Command::Hello => {
                let lines = dialect.hello(self.voice.variant, &self.given);
                lines.iter().for_each(|line| self.voice.speaker.say(line));
            }
            Command::IsReady => self.voice.speaker.say("readyok"),
            Command::NewGame => self.player.new_game(&self.options),
            Command::Debug(is_on) => self.is_debug = is_on,
            Command::Set { name, value } => self.set(&name, &value)?,
            Command::Position(setup) => self.player.set_up(&setup)?,
            Command::Ban(moves) => self.player.ban(&moves)?,
            Command::Go(go) => self.player.go(&go, &self.options)?,
            Command::Stop => {
                if !self.player.stop() {
                    dialect.nothing_to_stop().iter().for_each(|line| self.voice.speaker.say(line));
                }
            }
            Command::PonderHit => self.player.ponder_hit(),
            Command::Probe(setup) => {
                let probed = self.player.probe(&setup)?;
                self.voice.speaker.say(&dialect.probed(&probed));
            }
            Command::Show => self.voice.tell(&format!("fen {}", self.player.fen())),
            Command::Quit => return Ok(Next::Goodbye),
            Command::Nothing => {}
        }
        Ok(Next::Line)
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        let spec = options::find(self.voice.dialect, self.voice.variant, name)?;
        let value = spec.parse(name, text)?;
        match (spec.name, &value) {
            (Name::ClearHash | Name::NewGame, _) => self.player.new_game(&self.options),
            (Name::Debug, Value::Flag(is_on)) => self.is_debug = *is_on,
            (Name::Variant, Value::Word(word)) => return self.change_game(options::game_of(word)),
            _ => {
                let mut options = self.options.clone();
                options.set(spec.name, value);
                self.player.configure(&options)?;
                self.options = options;
            }
        }
        Ok(())
    }

    /// Switches to another game, at its start; the book of the old game is closed.
    fn change_game(&mut self, game: GameId) -> Result<(), Refusal> {
        if game == self.voice.variant.game() {
            return Ok(());
        }
        self.player.stop();
        let variant = if game == GameId::Chess { Variant::Chess } else { Variant::Xiangqi };
        let voice = Voice { variant, ..self.voice.clone() };
        let options = Options { book_file: String::new(), ..self.options.clone() };
        self.player = player_of(&voice, &options)?;
        (self.voice, self.options) = (voice, options);
        Ok(())
    }
}

/// Returns a player of the voice's game.
fn player_of(voice: &Voice, options: &Options) -> Result<Box<dyn Play>, Refusal> {
    Ok(match voice.variant.game() {
        GameId::Chess => Box::new(Player::<Chess>::new(voice.clone(), options)?),
        GameId::Xiangqi => Box::new(Player::<Xiangqi>::new(voice.clone(), options)?),
    })
}
