//! Material: the men on the board, under names such as `KRvK`.
//!
//! A name lists the first side's men, `v`, and the second's, strongest first: chess `K Q R B N P`, xiangqi
//! `K R C N P A B`. One table serves a material and its colour-flipped twin; it has the canonical name of the two, in
//! which the first side is the stronger: chess, more men, then the stronger ones; xiangqi, more attacking men, then the
//! stronger ones, then the fewer defenders.

use std::cmp::Reverse;
use std::fmt;

use crate::endgame::error::EndgameError;
use crate::game::{GameId, Side};

/// Maximum men of a table.
pub const MAX_MEN: usize = 10;
/// Maximum men of one kind of a side besides its king.
const MAX_LIKE: usize = 2;

/// The kinds of a game, strongest first; a man's kind is an index into this.
pub const fn letters(game: GameId) -> &'static [u8] {
    match game {
        GameId::Chess => b"KQRBNP",
        GameId::Xiangqi => b"KRCNPAB",
    }
}

/// Kind of the king, in both games.
pub const KING: u8 = 0;

/// The men of both sides, each side's kinds ascending; the king is first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    sides: [Vec<u8>; 2],
    is_xiangqi: bool,
}

impl Material {
    /// Returns the material of a name, its sides as the name has them.
    pub fn parse(game: GameId, name: &str) -> Result<Material, EndgameError> {
        let refuse = |reason: &str| EndgameError::Material(name.to_owned(), reason.to_owned());
        let Some((first, second)) = name.split_once('v') else {
            return Err(refuse("expected the men of both sides with a \"v\" between, as in KRvK"));
        };
        let known = letters(game);
        let side = |text: &str| -> Result<Vec<u8>, EndgameError> {
            text.bytes()
                .map(|letter| known.iter().position(|&each| each == letter).map(|kind| kind as u8))
                .collect::<Option<Vec<u8>>>()
                .ok_or_else(|| {
                    let letters = String::from_utf8_lossy(known).into_owned();
                    refuse(&format!("expected letters of {letters} only, for {}", game.name()))
                })
        };
        Material::of(game, [side(first)?, side(second)?]).map_err(|reason| refuse(&reason))
    }

    /// Returns the material of lists of kinds, or the reason why there can be no table.
    fn of(game: GameId, mut sides: [Vec<u8>; 2]) -> Result<Material, String> {
        let known = letters(game);
        for side in &mut sides {
            side.sort_unstable();
            if side.first() != Some(&KING) || side.get(1) == Some(&KING) {
                return Err("each side has exactly one K".to_owned());
            }
            for &kind in side.iter() {
                let count = side.iter().filter(|&&each| each == kind).count();
                if count > MAX_LIKE {
                    let letter = char::from(known[usize::from(kind)]);
                    return Err(format!("{count} {letter} on one side: tables have at most {MAX_LIKE}"));
                }
            }
        }
        let most = match game {
            GameId::Chess => 5,
            GameId::Xiangqi => MAX_MEN,
        };
        let men = sides[0].len() + sides[1].len();
        if men > most {
            return Err(format!("{men} men: tables of {} have at most {most}", game.name()));
        }
        Ok(Material { sides, is_xiangqi: game == GameId::Xiangqi })
    }

    /// Returns the material of men as they stand on a board; `None` where no table is made of it.
    pub fn of_men(game: GameId, men: impl Iterator<Item = (Side, u8)>) -> Option<Material> {
        let mut sides = [Vec::new(), Vec::new()];
        for (side, kind) in men {
            sides[side.index()].push(kind);
        }
        Material::of(game, sides).ok()
    }

    /// Returns the game.
    pub fn game(&self) -> GameId {
        if self.is_xiangqi { GameId::Xiangqi } else { GameId::Chess }
    }

    /// Returns a side's kinds, the king first.
    pub fn side(&self, side: Side) -> &[u8] {
        &self.sides[side.index()]
    }

    /// Returns the number of men.
    pub fn count(&self) -> usize {
        self.sides[0].len() + self.sides[1].len()
    }

    /// Returns the men in table order: both kings, then the first side's others, then the second's.
    pub fn men(&self) -> Vec<(Side, u8)> {
        let others = |side: Side| self.side(side)[1..].iter().map(move |&kind| (side, kind));
        [(Side::First, KING), (Side::Second, KING)]
            .into_iter()
            .chain(others(Side::First))
            .chain(others(Side::Second))
            .collect()
    }

    /// Returns the material under its canonical name, and whether the sides change places.
    pub fn canonical(&self) -> (Material, bool) {
        let is_flipped = self.rank(Side::First) < self.rank(Side::Second);
        (if is_flipped { self.flipped() } else { self.clone() }, is_flipped)
    }

    /// Returns the material with the sides exchanged.
    pub fn flipped(&self) -> Material {
        let [first, second] = &self.sides;
        Material { sides: [second.clone(), first.clone()], is_xiangqi: self.is_xiangqi }
    }

    /// Returns the materials that one capture, promotion or capture with promotion leads to, canonical, each once.
    pub fn successors(&self) -> Vec<Material> {
        let men = self.men();
        let pawn = self.promotes();
        let mut found = Vec::new();
        for victim in (0..men.len()).map(Some).chain([None]) {
            if victim.is_some_and(|victim| men[victim].1 == KING) {
                continue;
            }
            let rest = || men.iter().enumerate().filter(move |&(man, _)| Some(man) != victim);
            if victim.is_some() {
                found.extend(Material::of_men(self.game(), rest().map(|(_, &man)| man)));
            }
            for (promoted, _) in rest().filter(|(_, man)| Some(man.1) == pawn) {
                for kind in 1..letters(self.game()).len() as u8 - 1 {
                    let changed =
                        rest().map(|(man, &(side, old))| (side, if man == promoted { kind } else { old }));
                    found.extend(Material::of_men(self.game(), changed));
                }
            }
        }
        found = found.into_iter().map(|material| material.canonical().0).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the kind that promotes, if the game has one.
    pub fn promotes(&self) -> Option<u8> {
        if self.is_xiangqi { None } else { Some(5) }
    }

    /// Returns how strong a side is: what the canonical name puts first.
    fn rank(&self, side: Side) -> (usize, Reverse<Vec<u8>>, Reverse<usize>) {
        let men = self.side(side);
        // In xiangqi the kinds from A on defend.
        let attackers: Vec<u8> =
            men[1..].iter().copied().filter(|&kind| !self.is_xiangqi || kind < 5).collect();
        let defenders = men.len() - 1 - attackers.len();
        let defence = if self.is_xiangqi {
            men[men.len() - defenders..].iter().map(|&k| usize::from(k)).sum()
        } else {
            0
        };
        (attackers.len(), Reverse(attackers), Reverse(defence))
    }
}

impl fmt::Display for Material {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = letters(self.game());
        for (number, side) in self.sides.iter().enumerate() {
            if number == 1 {
                out.write_str("v")?;
            }
            for &kind in side {
                write!(out, "{}", char::from(known[usize::from(kind)]))?;
            }
        }
        Ok(())
    }
}

/// Squares of the men, in the order of `Material::men`. Places beyond the last man are 0.
pub type Men = [u8; MAX_MEN];

/// Which table a move leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The table itself, another slice of it.
    Own,
    /// One of `Space::dependencies`.
    Other(usize),
}

/// The position an irreversible move leads to, as the table that holds it sees it.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// The table.
    pub target: Target,
    /// Where the men stand there.
    pub men: Men,
    /// The side to move there: its sides may be the exchanged ones.
    pub to_move: Side,
    /// The square behind a pawn that has made a double step which may be answered en passant.
    pub en_passant: Option<u8>,
}

/// Where one capture, promotion or both lead.
#[derive(Debug, Clone)]
struct Route {
    dependency: usize,
    is_flipped: bool,
    /// For each man of the target, the man it was.
    sources: Vec<u8>,
}

/// The routes of a material, by captured man and by promoted man and kind.
#[derive(Debug)]
pub(super) struct Routes {
    dependencies: Vec<Material>,
    routes: Vec<Option<Route>>,
    men: usize,
}

/// Kinds that a pawn can become are below this.
const KINDS: usize = 5;

impl Routes {
    /// Returns the routes out of a material.
    pub fn of(material: &Material) -> Routes {
        let men = material.men();
        let dependencies = material.successors();
        let mut routes = Routes { dependencies, routes: Vec::new(), men: men.len() };
        routes.routes.resize((men.len() + 1) * (men.len() * KINDS + 1), None);
        let pawns = |man: usize| Some(men[man].1) == material.promotes();
        for victim in (0..men.len()).map(Some).chain([None]) {
            let promotions = (0..men.len())
                .filter(|&man| pawns(man) && Some(man) != victim)
                .flat_map(|man| (1..KINDS as u8).map(move |kind| Some((man, kind))));
            for promotion in promotions.chain([None]) {
                let at = routes.number(victim, promotion);
                routes.routes[at] = routes.route(material.game(), &men, victim, promotion);
            }
        }
        routes
    }

    /// Returns the materials the routes lead to.
    pub fn dependencies(&self) -> &[Material] {
        &self.dependencies
    }

    fn number(&self, victim: Option<usize>, promotion: Option<(usize, u8)>) -> usize {
        let promotion = promotion.map_or(0, |(man, kind)| 1 + man * KINDS + usize::from(kind));
        victim.map_or(0, |victim| victim + 1) * (self.men * KINDS + 1) + promotion
    }

    fn route(
        &self,
        game: GameId,
        men: &[(Side, u8)],
        victim: Option<usize>,
        promotion: Option<(usize, u8)>,
    ) -> Option<Route> {
        let mut left: Vec<(usize, Side, u8)> = (0..men.len())
            .filter(|&man| Some(man) != victim)
            .map(|man| match promotion {
                Some((promoted, kind)) if promoted == man => (man, men[man].0, kind),
                _ => (man, men[man].0, men[man].1),
            })
            .collect();
        let material = Material::of_men(game, left.iter().map(|&(_, side, kind)| (side, kind)))?;
        let (material, is_flipped) = material.canonical();
        let dependency = self.dependencies.iter().position(|each| *each == material)?;
        let mut sources = Vec::new();
        for (side, kind) in material.men() {
            let side = if is_flipped { side.other() } else { side };
            let at = left.iter().position(|&(_, s, k)| (s, k) == (side, kind))?;
            sources.push(left.remove(at).0 as u8);
        }
        Some(Route { dependency, is_flipped, sources })
    }

    /// Returns the position after a capture, a promotion or both; `men` stand as they do afterwards.
    pub fn reached(
        &self,
        flip: impl Fn(u8) -> u8,
        men: &Men,
        victim: Option<usize>,
        promotion: Option<(usize, u8)>,
        to_move: Side,
    ) -> Option<Reached> {
        let route = self.routes[self.number(victim, promotion)].as_ref()?;
        let mut there = Men::default();
        for (square, &source) in there.iter_mut().zip(&route.sources) {
            let stood = men[usize::from(source)];
            *square = if route.is_flipped { flip(stood) } else { stood };
        }
        let to_move = if route.is_flipped { to_move.other() } else { to_move };
        Some(Reached { target: Target::Other(route.dependency), men: there, to_move, en_passant: None })
    }
}
