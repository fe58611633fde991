//! Captures and promotions between tables: the material that each leads to, and the order and orientation of its men.

use super::material::Material;
use super::reached::{Men, Reached, Target};
use crate::game::{GameId, Side};

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
