//! Moves of real archives: texts that other programs wrote, and positions that people reached. Skipped where
//! `BOOKBUILDER_CORPUS` is not set.

use std::io::Read;
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

#[test]
#[ignore = "slow suite"]
fn all_chinese_texts_of_archives_are_the_ones_we_write() {
    let Some(folder) = corpus("pgn_gbk") else { return };
    let mut compared = Compared::default();
    for path in files(&folder, ".tar.gz") {
        let file = flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap());
        for entry in tar::Archive::new(file).entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            compared.file(&bytes, &name);
        }
    }
    assert_eq!(
        compared,
        Compared {
            games: 7_924,
            plies: 1_075_251,
            other_signs: 2_697,
            without_order: 1_351,
            unlike: Vec::new()
        }
    );
}

/// The moves of the games of a file in UTF-8, each up to the first illegal move.
fn moves_in(folder: &Path, name: &str) -> Vec<Vec<Move>> {
    let text = String::from_utf8(std::fs::read(folder.join(format!("wukong_{name}.pgn"))).unwrap()).unwrap();
    let moves = |game| {
        let mut moves = Vec::new();
        let played = play(&game, |_, _, m| moves.push(m));
        if let Err(error) = played {
            println!("{name}, after {} plies: {error}", moves.len());
        }
        moves
    };
    games(&text).into_iter().map(moves).collect()
}

#[test]
fn notations_of_one_game_agree() {
    let Some(folder) = corpus("pgn_wxf_utf8") else { return };
    let iccs = moves_in(&folder, "de5608_bulk_games_uci");
    assert_eq!((iccs.len(), iccs.iter().flatten().count()), (15, 1_378));
    let wxf = ["d4f591_bulk_games", "6d07ab_xqdb_international"];
    for name in wxf.into_iter().chain(["87ae67_xqdb_traditional", "d59e8b_xqdb_traditional"]) {
        let moves = moves_in(&folder, name);
        assert_eq!(moves.len(), iccs.len());
        for (game, (one, other)) in moves.iter().zip(&iccs).enumerate() {
            let pairs = one.iter().zip(other).enumerate();
            let differing: Vec<_> = pairs.filter(|(_, (one, other))| one != other).collect();
            // All four others tell the rear pawn, ICCS the front one: the converter that made it was wrong.
            let known = (encode(Square::of(31), Square::of(40)), encode(Square::of(49), Square::of(58)));
            let known = if game == 1 { vec![(70, (&known.0, &known.1))] } else { Vec::new() };
            assert_eq!((one.len(), differing), (other.len(), known), "game {game} of {name}");
        }
    }
    let singles = [
        ("04b66d_game", "c3cdfe_single_game", 120),
        ("6bd256_game_uci", "90ea5f_single_game", 124),
        ("766a53_game_uci", "d13e0e_single_game", 95),
        // Its WXF goes on with a move that is not legal.
        ("cd729d_game_uci", "53189a_single_game", 85),
    ];
    for (name, in_wxf, plies) in singles {
        let moves = moves_in(&folder, name);
        assert_eq!((moves.len(), moves[0].len()), (1, plies));
        assert_eq!(moves_in(&folder, in_wxf), moves, "{name}");
    }
}
