//! The player of one game. Each search runs on its own thread, which reports the results.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use super::command::{Go, Refusal, Setup};
use super::dialect::{Best, Channel, Dialect, Variant};
use super::options::{Name, Options};
use super::thinking::{Board, Signal, Work, is_useless, limits};
use crate::book::record::BookProbe;
use crate::book::{Book, BookError, Lines, Scheme, always, layout};
use crate::endgame::{Endgames, Tabled};
use crate::evaluate::{Evaluate, Standard};
use crate::game::{Foldable, Move, MoveList, Notated, Searchable, Side};
use crate::history::Detection;
use crate::search::{
    BookMode, BookMove, Loaded, STACK_BYTES, Searcher, Tablebase, book_moves, choose, listed_moves,
};

/// A search that was started and not yet joined.
struct Running<G> {
    signal: Signal,
    /// It ends by itself within its limits.
    is_bounded: bool,
    thread: JoinHandle<Searcher<G>>,
}

#[derive(Clone)]
enum OpenedBook {
    Clustered(Arc<Book>),
    Listed(Arc<Lines>),
}

impl OpenedBook {
    fn open<G: Foldable>(path: &Path, channel: &Channel) -> Result<OpenedBook, Refusal> {
        let mut head = [0; layout::MAGIC.len()];
        let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut head));
        // A pipe would never open.
        if path.is_file() && read().is_ok() && head != layout::MAGIC {
            let lines = (channel.open_book)(path, G::ID).map_err(Refusal)?;
            return Ok(OpenedBook::Listed(Arc::new(lines)));
        }
        let refused = |why: BookError| Refusal(why.to_string());
        let book = Book::open(path, &[Scheme::of::<G>()]).map_err(refused)?;
        // A search asks for any record at any time, and cannot refuse.
        book.check_whole(&always).map_err(refused)?;
        Ok(OpenedBook::Clustered(Arc::new(book)))
    }
}

pub struct Player<G: Tabled + Searchable + Notated> {
    channel: Channel,
    /// `None` after an invalid position.
    board: Option<Board<G>>,
    banned: Vec<Move>,
    /// The books of both sides, of the first and of the second, each in order.
    books: [Vec<OpenedBook>; 3],
    endgames: Option<Arc<Endgames<G::Space>>>,
    /// Options that have been applied to the searcher.
    ready_for: Options,
    /// Seed of book moves in this game.
    seed: u64,
    /// `None` during a search.
    searcher: Option<Searcher<G>>,
    running: Option<Running<G>>,
    /// The last `go` was answered without a search.
    was_answered: bool,
}

impl<G: Tabled + Searchable + Notated> Player<G>
where
    Standard: Evaluate<G>,
{
    /// Returns a player at the start of the game.
    ///
    /// # Errors
    /// [`Refusal`] without memory for the table, or if the book or the folder of endgame tables is missing.
    pub fn new(channel: Channel, options: &Options) -> Result<Player<G>, Refusal> {
        let mut player = Player {
            channel,
            board: Some(Board::of(&Setup::default(), Variant::Pikafish)?),
            banned: Vec::new(),
            books: Default::default(),
            endgames: None,
            ready_for: Options::default(),
            seed: 0,
            searcher: None,
            running: None,
            was_answered: false,
        };
        let mut searcher = Searcher::new(0);
        player.prepare(&mut searcher, options, true)?;
        player.searcher = Some(searcher);
        player.new_seed(options);
        Ok(player)
    }

    fn new_seed(&mut self, options: &Options) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
        self.seed = match options.number(Name::BookSeed) {
            0 => now,
            seed => seed,
        };
    }

    /// Returns the searcher when no search is running; a new one if its thread crashed.
    fn idle(&mut self) -> Searcher<G> {
        let running = self.running.take().and_then(|running| running.thread.join().ok());
        if let Some(searcher) = running.or_else(|| self.searcher.take()) {
            return searcher;
        }
        let mut searcher = Searcher::new(0);
        if let Err(why) = self.prepare(&mut searcher, &self.ready_for.clone(), true) {
            self.channel.report(&why.to_string());
        }
        searcher
    }

    /// Applies options to a searcher; `is_new`: it is empty.
    fn prepare(
        &mut self,
        searcher: &mut Searcher<G>,
        options: &Options,
        is_new: bool,
    ) -> Result<(), Refusal> {
        let differs = |name: Name| self.ready_for.text(name) != options.text(name);
        let (is_other_book, are_other_endgames) = (differs(Name::BookFile), differs(Name::EndgamePath));
        let (mut books, mut endgames) = (self.books.clone(), self.endgames.clone());
        for (books, name) in books.iter_mut().zip(Options::BOOKS) {
            if differs(name) {
                let paths = options.text(name).split(';').map(str::trim).filter(|path| !path.is_empty());
                *books = paths
                    .map(|path| OpenedBook::open::<G>(Path::new(path), &self.channel))
                    .collect::<Result<_, _>>()?;
            }
        }
        if are_other_endgames {
            let path = Some(options.text(Name::EndgamePath)).filter(|path| !path.is_empty());
            let opened = path.map(|path| Endgames::open(Path::new(path))).transpose();
            endgames = opened.map_err(|why| Refusal(why.to_string()))?.map(Arc::new);
        }
        let is_resized = is_new || self.ready_for.number(Name::Hash) != options.number(Name::Hash);
        if is_resized {
            searcher
                .resize((options.number(Name::Hash) as usize) << 20)
                .map_err(|why| Refusal(why.to_string()))?;
        }
        (self.books, self.endgames) = (books, endgames);
        // The table contains scores of draws.
        let is_other_policy = self.ready_for.repetition() != options.repetition();
        let is_other_mode = self.ready_for.mode() != options.mode();
        if is_new || is_other_book || is_other_mode {
            let hints = self.books[0].iter().find_map(|book| match book {
                OpenedBook::Clustered(book) => Some(Arc::clone(book) as Arc<dyn BookProbe>),
                OpenedBook::Listed(_) => None,
            });
            searcher.set_book(hints, options.mode());
            self.report_load(searcher);
        } else if is_other_policy {
            searcher.clear();
        } else if is_resized {
            self.report_load(searcher);
        }
        if is_new || are_other_endgames {
            if let Some(endgames) = &self.endgames {
                let (files, most) = (endgames.files().count(), endgames.most_men());
                self.channel.report(&format!("{files} endgame tables of up to {most} men found"));
            }
            searcher.set_tablebase(self.endgames.clone().map(|tables| tables as Arc<dyn Tablebase<G>>));
        }
        searcher.threads = options.number(Name::Threads) as usize;
        searcher.lines = options.number(Name::MultiPv) as usize;
        searcher.repetition = options.repetition();
        searcher.set_learning(options.learning());
        if (is_new || self.ready_for.text(Name::RepetitionDetector) != options.text(Name::RepetitionDetector))
            && let Some(detection) = Detection::named(options.text(Name::RepetitionDetector))
        {
            searcher.detection = detection;
        }
        self.ready_for = options.clone();
        Ok(())
    }

    /// Reports how much of the book is in the table.
    fn report_load(&self, searcher: &Searcher<G>) {
        let Some(loaded) = searcher.loaded() else { return };
        let Loaded { stored, records, least_usage, elapsed } = loaded;
        let limit = if least_usage > 0 {
            format!(", those of usage {least_usage} or more: a larger Hash loads more")
        } else {
            String::new()
        };
        let ms = elapsed.as_millis();
        self.channel.report(&format!("{stored} of {records} records of the book loaded in {ms} ms{limit}"));
    }

    /// Parses legal moves in the position, and reports the others. A move that is legal with the other ranks changes
    /// the spelling.
    fn moves_of(&mut self, position: &G, texts: &[String]) -> Vec<Move> {
        let mut moves = Vec::new();
        for text in texts {
            let parse = |variant: Variant| variant.notation::<G>().parse(position, text);
            match parse(self.channel.variant) {
                Ok(m) => moves.push(m),
                Err(why) => match self.other_ranks().and_then(|other| Some((other, parse(other).ok()?))) {
                    Some((other, m)) => {
                        self.use_variant(other);
                        moves.push(m);
                    }
                    None => self.channel.report(&why.to_string()),
                },
            }
        }
        moves
    }

    /// Returns the other numbering of ranks, where the dialect does not fix it.
    fn other_ranks(&self) -> Option<Variant> {
        self.channel.variant.other_ranks().filter(|_| self.channel.dialect == Dialect::Uci)
    }

    /// Returns the moves allowed in the root; empty: all.
    fn allowed(&mut self, position: &G, go: &Go) -> Vec<Move> {
        let mut allowed = self.moves_of(position, &go.moves);
        if !self.banned.is_empty() {
            if allowed.is_empty() {
                let mut all = MoveList::new();
                position.legal_moves(&mut all);
                allowed.extend(all);
            }
            allowed.retain(|m| !self.banned.contains(m));
            if allowed.is_empty() {
                self.channel.report("every move is banned: bans are ignored");
            }
        }
        allowed
    }

    /// Returns the move of the first book that has one, if the options allow one; the books of a side come first.
    fn book_move(&self, board: &Board<G>, go: &Go, options: &Options) -> Option<Move> {
        let is_asked = options.mode() != BookMode::Off
            && !options.flag(Name::Analysis)
            && !go.is_infinite
            && go.moves.is_empty()
            && options.number(Name::MultiPv) == 1
            && board.plies < options.number(Name::BookDepth);
        let policy = (options.policy(), self.seed);
        let own = if board.position.side() == Side::First { 1 } else { 2 };
        let books = self.books[own].iter().chain(&self.books[0]).filter(|_| is_asked);
        let mut chosen = books.filter_map(|book| {
            let moves = match book {
                OpenedBook::Clustered(book) => book_moves(&board.position, &**book),
                OpenedBook::Listed(lines) => listed_moves(&board.position, lines),
            };
            let chosen = choose(&board.position, &board.history, moves, policy);
            chosen.filter(|chosen| !self.banned.contains(&chosen.m)).map(|chosen| (book, chosen))
        });
        let (book, BookMove { m, record }) = chosen.next()?;
        let (usage, quality) = (record.word.usage(), record.word.quality());
        self.channel.report(&match book {
            OpenedBook::Clustered(_) => format!("book move, usage {usage}, quality {quality}"),
            OpenedBook::Listed(_) => format!("book move, weight {usage}"),
        });
        Some(m)
    }

    /// Sets up a position. After an invalid FEN or an illegal move there is no position.
    pub fn set_up(&mut self, setup: &Setup) -> Result<(), Refusal> {
        self.banned.clear();
        self.board = None;
        let board = Board::of(setup, self.channel.variant).or_else(|why| {
            // The moves may have the other numbering of ranks.
            let other = self.other_ranks().and_then(|other| Some((other, Board::of(setup, other).ok()?)));
            let refused = || Refusal(format!("{why}; there is no position until the next one"));
            other.ok_or_else(refused).map(|(other, board)| {
                self.use_variant(other);
                board
            })
        })?;
        self.board = Some(board);
        Ok(())
    }

    /// Bans legal moves in the position; the others are reported.
    pub fn ban(&mut self, moves: &[String]) -> Result<(), Refusal> {
        let board = self.board.take().ok_or_else(no_position)?;
        self.banned = self.moves_of(&board.position, moves);
        self.board = Some(board);
        Ok(())
    }

    /// Starts a search, which answers exactly once; a running search answers first.
    pub fn go(&mut self, go: &Go, options: &Options) {
        self.stop();
        if !go.skipped.is_empty() {
            self.channel.report(&format!("go: skipped {}", go.skipped.join(", ")));
        }
        let Some(board) = self.board.clone() else {
            self.channel.report(&no_position().to_string());
            self.was_answered = true;
            return self.channel.answer(&Best::default());
        };
        let side = board.position.side();
        let allowed = self.allowed(&board.position, go);
        let go = &mut go.clone();
        // Illegal moves are words that cannot be used.
        if allowed.len() < go.moves.len() {
            go.skipped.push("searchmoves".to_owned());
        }
        let is_bounded = go.is_bounded(side) || is_useless(go, side);
        // Without a limit, only `stop` ends the search.
        let signal = Signal::new(go.is_ponder, go.is_infinite || !(is_bounded || go.mate.is_some()));
        let work = Work {
            limits: limits(go, side, options, &signal, allowed),
            chosen: self.book_move(&board, go, options),
            board,
            offers_draw: go.offers_draw,
            signal: signal.clone(),
            channel: self.channel.clone(),
        };
        let mut searcher = self.idle();
        let task = work.clone();
        let begun = Builder::new().stack_size(STACK_BYTES).spawn(move || {
            task.run_guarded(&mut searcher);
            searcher
        });
        match begun {
            Ok(thread) => self.running = Some(Running { signal, is_bounded, thread }),
            Err(why) => {
                self.channel.report(&format!("go: cannot start a thread: {why}"));
                work.answer_at_once();
                self.was_answered = true;
            }
        }
    }

    /// Stops the search and waits for its answer; returns whether a search was started since the last call.
    pub fn stop(&mut self) -> bool {
        let was_answered = std::mem::take(&mut self.was_answered);
        let Some(running) = &self.running else { return was_answered };
        running.signal.stop();
        let searcher = self.idle();
        self.searcher = Some(searcher);
        true
    }

    /// Notes that the expected move was played.
    pub fn ponder_hit(&mut self) {
        if let Some(running) = &self.running {
            running.signal.ponder_hit();
        }
    }

    /// Waits for a search that ends by itself; stops one that does not.
    pub fn finish(&mut self) {
        if self.running.as_ref().is_some_and(|running| running.is_bounded && running.signal.is_finite()) {
            let searcher = self.idle();
            self.searcher = Some(searcher);
        }
        self.stop();
    }

    pub fn new_game(&mut self, options: &Options) {
        self.stop();
        let mut searcher = self.idle();
        searcher.clear();
        self.searcher = Some(searcher);
        self.new_seed(options);
    }

    /// Applies the current options. Refused without memory for the table, or if a book or the folder of endgame tables
    /// is missing.
    pub fn configure(&mut self, options: &Options) -> Result<(), Refusal> {
        self.stop();
        let mut searcher = self.idle();
        let prepared = self.prepare(&mut searcher, options, false);
        self.searcher = Some(searcher);
        prepared
    }

    pub fn describe(&self) -> String {
        self.board
            .as_ref()
            .map_or_else(|| no_position().to_string(), |board| format!("fen {}", board.position.to_fen()))
    }

    /// Changes how moves are spelled.
    pub fn use_variant(&mut self, variant: Variant) {
        self.channel.variant = variant;
        variant.ranks().iter().for_each(|ranks| self.channel.report(ranks));
    }
}

fn no_position() -> Refusal {
    Refusal("there is no position: send a valid one".to_owned())
}
