//! Moves of real archives: texts that other programs wrote, and positions that people reached. Skipped where
//! `BOOKBUILDER_CORPUS` is not set.

use std::path::{Path, PathBuf};

use encoding_rs::GB18030;

use super::super::*;

fn corpus(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("BOOKBUILDER_CORPUS");
    if root.is_none() {
        println!("skipped: BOOKBUILDER_CORPUS is not set");
    }
    Some(Path::new(&root?).join("data/xiangqi").join(path))
}

/// The files of a folder whose names end so, in order.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    files.sort();
    files
}

/// The start and the move texts of a game.
#[derive(Default)]
struct TextGame {
    fen: Option<String>,
    texts: Vec<String>,
}

/// Games of a PGN text, as far as these files need: one tag per line, comments in braces, no variations, and
/// what follows a result or a line `====` belongs to no game.
fn games(text: &str) -> Vec<TextGame> {
    let mut games = Vec::new();
    let (mut is_comment, mut is_open) = (false, false);
    for line in text.lines() {
        if line.starts_with('[') && !is_comment {
            if !is_open || games.last().is_some_and(|game: &TextGame| !game.texts.is_empty()) {
                games.push(TextGame::default());
            }
            is_open = true;
            let fen = line.strip_prefix("[FEN \"").and_then(|rest| rest.split('"').next());
            if let (Some(fen), Some(game)) = (fen, games.last_mut()) {
                game.fen = Some(fen.to_owned());
            }
            continue;
        }
        for piece in line.split_inclusive(['{', '}']) {
            let Some(game) = games.last_mut().filter(|_| is_open) else { break };
            if !is_comment {
                let words = || piece.trim_end_matches(['{', '}']).split_whitespace();
                game.texts.extend(words().take_while(|word| !is_end(word)).flat_map(moves_of));
                is_open = !words().any(is_end);
            }
            is_comment = (is_comment || piece.ends_with('{')) && !piece.ends_with('}');
        }
    }
    games
}

fn is_end(word: &str) -> bool {
    ["1-0", "0-1", "1/2-1/2", "*"].contains(&word) || word.starts_with("==")
}

/// The moves of a word: without a number, cut where two stand together.
fn moves_of(word: &str) -> Vec<String> {
    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    word.chars().collect::<Vec<char>>().chunks(4).map(String::from_iter).collect()
}

/// Plays a game to its end or to the first illegal move.
fn play(game: &TextGame, mut visit: impl FnMut(&Xiangqi, &str, Move)) -> Result<(), MoveError> {
    let mut position = match &game.fen {
        Some(fen) => Xiangqi::from_fen(fen).map_err(|error| MoveError::Syntax(error.to_string()))?,
        None => Xiangqi::start(),
    };
    for text in &game.texts {
        let token = Token::parse(text).ok_or_else(|| MoveError::Syntax(text.clone()))?;
        let m = position.resolve(token)?;
        visit(&position, text, m);
        position.play_unchecked(m);
    }
    Ok(())
}

/// Texts of archives, compared with the ones that we write.
#[derive(Debug, Default, PartialEq, Eq)]
struct Compared {
    games: usize,
    plies: usize,
    /// Digits of another script or width, or the name that the other side's piece has: 帅 for 将, 士 for 仕.
    other_signs: usize,
    /// The column instead of 前 or 后, where one piece of two can make the move.
    without_order: usize,
    /// All others.
    unlike: Vec<(String, String)>,
}

impl Compared {
    /// Plays the games of a file in GBK.
    fn file(&mut self, bytes: &[u8], name: &str) {
        for game in games(&GB18030.decode(bytes).0) {
            self.games += 1;
            let played = play(&game, |position, text, m| self.text(position, text, m));
            assert_eq!(played, Ok(()), "{name}");
        }
    }

    fn text(&mut self, position: &Xiangqi, text: &str, m: Move) {
        self.plies += 1;
        let written = ChineseNotation::Simplified.format(position, m);
        let same = |sign: char| match sign {
            '０'..='９' => char::from_u32(sign as u32 - '０' as u32 + '0' as u32).unwrap_or(sign),
            '将' => '帅',
            '士' => '仕',
            sign => match "一二三四五六七八九".chars().position(|numeral| numeral == sign) {
                Some(index) => char::from(b'1' + index as u8),
                None => sign,
            },
        };
        let signs = |text: &str| text.chars().map(same).collect::<Vec<char>>();
        if signs(&written) == signs(text) {
            self.other_signs += usize::from(written != text);
        } else if written.starts_with(['前', '后']) && signs(text)[0] == signs(&written)[1] {
            self.without_order += 1;
        } else {
            self.unlike.push((text.to_owned(), written));
        }
    }
}

#[test]
fn archives_have_the_texts_we_write() {
    let Some(folder) = corpus("pgn_gbk") else { return };
    let mut compared = Compared::default();
    for path in [files(&folder.join("sample"), ".pgn"), files(&folder.join("xqwlight"), ".pgn")].concat() {
        compared.file(&std::fs::read(&path).unwrap(), &path.to_string_lossy());
    }
    assert_eq!(
        compared,
        Compared { games: 356, plies: 42_648, other_signs: 114, without_order: 66, unlike: Vec::new() }
    );
}
