//! A slow second opinion: moves by walking the board point by point, legality by making each move and looking whether
//! the general can be taken. Shares nothing with the generator but the words for pieces and points.

use crate::game::{Game, Move, Side};
use crate::xiangqi::{Kind, Square, Xiangqi, encode};

type Grid = [[Option<(Side, Kind)>; 9]; 10];
type Point = (i8, i8);

const STRAIGHT: [Point; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [Point; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Returns the codes of the legal moves, ascending.
pub fn legal_moves(position: &Xiangqi) -> Vec<Move> {
    let grid = grid(position);
    let side = position.side();
    let mut moves: Vec<Move> = pseudo_legal(&grid, side)
        .into_iter()
        .filter(|&(from, to)| is_safe(&after(grid, from, to), side))
        .map(|(from, to)| encode(square(from), square(to)))
        .collect();
    moves.sort_unstable();
    moves
}

/// Returns whether the side to move is in check.
pub fn is_check(position: &Xiangqi) -> bool {
    !is_safe(&grid(position), position.side())
}

fn grid(position: &Xiangqi) -> Grid {
    let mut grid = [[None; 9]; 10];
    for (rank, row) in (0..).zip(&mut grid) {
        for (file, place) in (0..).zip(row) {
            *place = position.piece_at(square((file, rank)));
        }
    }
    grid
}

fn square((file, rank): Point) -> Square {
    Square::at(file as u8, rank as u8).unwrap()
}

fn at(grid: &Grid, (file, rank): Point) -> Option<(Side, Kind)> {
    grid[rank as usize][file as usize]
}

fn after(mut grid: Grid, from: Point, to: Point) -> Grid {
    grid[to.1 as usize][to.0 as usize] = at(&grid, from);
    grid[from.1 as usize][from.0 as usize] = None;
    grid
}

/// Nobody can take the general, and the generals do not face each other.
fn is_safe(grid: &Grid, side: Side) -> bool {
    let is_own_general = |&(_, to): &(Point, Point)| at(grid, to) == Some((side, Kind::General));
    let taken = pseudo_legal(grid, side.other()).iter().any(is_own_general);
    !taken && !are_facing(grid)
}

fn are_facing(grid: &Grid) -> bool {
    (0..9).any(|file| {
        let pieces: Vec<Kind> =
            (0..10).filter_map(|rank| at(grid, (file, rank))).map(|(_, kind)| kind).collect();
        pieces.windows(2).any(|pair| pair == [Kind::General, Kind::General])
    })
}

fn pseudo_legal(grid: &Grid, side: Side) -> Vec<(Point, Point)> {
    let mut moves = Vec::new();
    for rank in 0..10 {
        for file in 0..9 {
            let from = (file, rank);
            if let Some((owner, kind)) = at(grid, from)
                && owner == side
            {
                let targets = targets(grid, side, kind, from);
                let is_free = |&to: &Point| at(grid, to).is_none_or(|(owner, _)| owner != side);
                moves.extend(targets.into_iter().filter(is_free).map(|to| (from, to)));
            }
        }
    }
    moves
}

fn targets(grid: &Grid, side: Side, kind: Kind, from: Point) -> Vec<Point> {
    let ahead = if side == Side::First { 1 } else { -1 };
    let steps = |steps: &[Point]| steps.iter().filter_map(|&step| moved(from, step, 1)).collect::<Vec<_>>();
    match kind {
        Kind::Rook => STRAIGHT.iter().flat_map(|&step| slide(grid, from, step, 0)).collect(),
        Kind::Cannon => {
            let quiet = STRAIGHT.iter().flat_map(|&step| slide(grid, from, step, 0));
            let quiet: Vec<Point> = quiet.filter(|&to| at(grid, to).is_none()).collect();
            let captures = STRAIGHT.iter().flat_map(|&step| slide(grid, from, step, 1));
            quiet.into_iter().chain(captures.filter(|&to| at(grid, to).is_some())).collect()
        }
        Kind::Horse => {
            let free_legs = STRAIGHT
                .iter()
                .filter(|&&leg| moved(from, leg, 1).is_some_and(|leg| at(grid, leg).is_none()));
            let jumps = free_legs.flat_map(|&(x, y)| [(2 * x + y, 2 * y + x), (2 * x - y, 2 * y - x)]);
            jumps.filter_map(|jump| moved(from, jump, 1)).collect()
        }
        Kind::Elephant => {
            let free_eyes = DIAGONAL
                .iter()
                .filter(|&&eye| moved(from, eye, 1).is_some_and(|eye| at(grid, eye).is_none()));
            let jumps = free_eyes.filter_map(|&eye| moved(from, eye, 2));
            jumps.filter(|&to| !is_over_the_river(side, to)).collect()
        }
        Kind::Advisor => steps(&DIAGONAL).into_iter().filter(|&to| is_palace(side, to)).collect(),
        Kind::General => steps(&STRAIGHT).into_iter().filter(|&to| is_palace(side, to)).collect(),
        Kind::Pawn if is_over_the_river(side, from) => steps(&[(0, ahead), (1, 0), (-1, 0)]),
        Kind::Pawn => steps(&[(0, ahead)]),
    }
}

/// The points seen in one direction after jumping over `screens` pieces, up to the next piece.
fn slide(grid: &Grid, from: Point, step: Point, screens: usize) -> Vec<Point> {
    let mut seen = Vec::new();
    let mut passed = 0;
    for to in (1..10).map_while(|n| moved(from, step, n)) {
        if passed == screens {
            seen.push(to);
        }
        if at(grid, to).is_some() {
            passed += 1;
        }
        if passed > screens {
            break;
        }
    }
    seen
}

fn moved((file, rank): Point, (x, y): Point, times: i8) -> Option<Point> {
    let to = (file + x * times, rank + y * times);
    ((0..9).contains(&to.0) && (0..10).contains(&to.1)).then_some(to)
}

fn is_over_the_river(side: Side, (_, rank): Point) -> bool {
    (rank > 4) == (side == Side::First)
}

fn is_palace(side: Side, (file, rank): Point) -> bool {
    (3..6).contains(&file) && if side == Side::First { rank < 3 } else { rank > 6 }
}
