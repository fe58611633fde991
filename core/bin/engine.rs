//! `bookbuilder-engine`: the engine as a program of its own, without Python, for GUIs that want the path of a file.
//!
//! ```text
//! bookbuilder-engine [uci|ucci] [--game chess|xiangqi] [--book FILE] [--hash MIB] [--threads N] [--option NAME=VALUE]…
//! ```
//!
//! Without a protocol it speaks the one whose first command it hears: `uci`, or `ucci` for xiangqi.

use std::env;
use std::io::{self, BufRead, Cursor, Read};
use std::process::ExitCode;

use bookbuilder_core::protocol::{Dialect, Session, Variant};

const USAGE: &str = "usage: bookbuilder-engine [uci|ucci] [--game chess|xiangqi] [--book FILE] [--hash MIB] \
                     [--threads N] [--option NAME=VALUE]...";

/// What the arguments ask for.
#[derive(Default)]
struct Asked {
    dialect: Option<Dialect>,
    game: Option<Variant>,
    /// Options by the names of both dialects: UCI's, UCCI's.
    named: Vec<([&'static str; 2], String)>,
    /// Options by the name that the user gave.
    options: Vec<(String, String)>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if arguments == ["--version"] {
        println!("bookbuilder-engine {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    match parse(&arguments).and_then(serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bookbuilder-engine: {why}");
            ExitCode::from(2)
        }
    }
}

/// Reads the arguments.
fn parse(arguments: &[String]) -> Result<Asked, String> {
    let mut asked = Asked::default();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "uci" => asked.dialect = Some(Dialect::Uci),
            "ucci" => asked.dialect = Some(Dialect::Ucci),
            _ => {
                let value = words.next().ok_or_else(|| format!("{word}: expected a value; {USAGE}"))?;
                take(&mut asked, word, value)?;
            }
        }
    }
    Ok(asked)
}

/// Takes an option with its value.
fn take(asked: &mut Asked, word: &str, value: &str) -> Result<(), String> {
    let names = match word {
        "--game" => {
            asked.game = Some(match value {
                "chess" => Variant::Chess,
                "xiangqi" => Variant::Pikafish,
                _ => return Err(format!("--game {value}: expected chess or xiangqi")),
            });
            return Ok(());
        }
        "--option" => {
            let (name, text) =
                value.split_once('=').ok_or_else(|| format!("--option {value}: expected NAME=VALUE"))?;
            asked.options.push((name.trim().to_owned(), text.trim().to_owned()));
            return Ok(());
        }
        "--book" => ["Book file", "bookfiles"],
        "--hash" => ["Hash", "hashsize"],
        "--threads" => ["Threads", "threads"],
        _ => return Err(format!("{word}: is not an option; {USAGE}")),
    };
    asked.named.push((names, value.to_owned()));
    Ok(())
}

/// Speaks the protocol on standard input and output until `quit` or the end of input.
fn serve(asked: Asked) -> Result<(), String> {
    let failed = |error: io::Error| error.to_string();
    let mut input = io::stdin().lock();
    let mut heard = Vec::new();
    let dialect = match asked.dialect {
        Some(dialect) => dialect,
        None => {
            // A first line of a million bytes is no command of either protocol.
            input.by_ref().take(1 << 20).read_until(b'\n', &mut heard).map_err(failed)?;
            if heard.trim_ascii() == b"ucci" { Dialect::Ucci } else { Dialect::Uci }
        }
    };
    let variant = match (dialect, asked.game) {
        (Dialect::Ucci, Some(Variant::Chess)) => {
            return Err("ucci does not support chess: expected xiangqi".to_owned());
        }
        (Dialect::Ucci, _) => Variant::Pikafish,
        (Dialect::Uci, game) => game.unwrap_or(Variant::Chess),
    };
    let place = usize::from(dialect == Dialect::Ucci);
    let named = asked.named.into_iter().map(|(names, value)| (names[place].to_owned(), value));
    let options: Vec<(String, String)> = named.chain(asked.options).collect();
    let session = Session::new(dialect, variant, &options, Box::new(io::stdout()), Session::clustered_only())
        .map_err(|why| why.to_string())?;
    session.run(Cursor::new(heard).chain(input)).map_err(failed)
}
