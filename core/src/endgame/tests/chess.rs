//! Chess tables against published numbers, the two solvers against each other, every index against its inverse.

use super::{Tables, gapless_numbers_invert};
use crate::endgame::{ChessSpace, Material, Metric, Space};
use crate::game::{GameId, Side};

fn space(name: &str) -> ChessSpace {
    ChessSpace::new(&Material::parse(GameId::Chess, name).unwrap()).unwrap()
}

#[test]
fn gapless_numbers_count_placements_up_to_symmetry() {
    // Legal positions with the bare king to move: it does not matter who attacks it.
    for (name, positions) in [
        ("KvK", 462),
        ("KQvK", 28_056),
        ("KPvK", 84_012),
        ("KQQvK", 854_238),
        ("KQRvK", 1_707_888),
        ("KQPvK", 5_124_732),
    ] {
        assert_eq!(space(name).gapless_len(), positions, "{name}");
    }
}

#[test]
fn every_gapless_number_is_that_of_its_position() {
    for name in ["KvK", "KQvK", "KPvK", "KQQvK", "KQRvK", "KRvKB", "KPPvK", "KPvKP"] {
        gapless_numbers_invert(&space(name), if name.len() > 4 { 7 } else { 1 });
    }
}

#[test]
fn cells_and_gapless_numbers_agree() {
    for name in ["KvK", "KQvK", "KPvK", "KQQvK", "KRvKB", "KPPvK", "KPvKP"] {
        let space = space(name);
        let mut is_hit = vec![false; space.gapless_len() as usize];
        for slice in 0..space.slices() {
            for cell in 0..space.cells() {
                if let Some(men) = space.men(slice, cell) {
                    is_hit[space.gapless_index(&men) as usize] = true;
                    let found = space.locate(&men);
                    let twin = space.men(found.0, found.1).map(|men| space.gapless_index(&men));
                    assert_eq!(found.0, slice);
                    assert_eq!(twin, Some(space.gapless_index(&men)));
                }
            }
        }
        assert!(is_hit.into_iter().all(|hit| hit), "{name}");
    }
}

#[test]
fn three_men_have_the_published_longest_lines() {
    let mut tables = Tables::<ChessSpace>::new(Metric::Dtm);
    // Numbers of legal, won, lost, mated and stalemated positions, and the longest win and loss in plies with their numbers.
    for (name, first, second) in [
        ("KQvK", (144_508, 144_508, (19, 8)), (200_896, (20, 56), 364, 872)),
        ("KRvK", (175_168, 175_168, (31, 916)), (201_700, (32, 3056), 216, 68)),
        ("KBvK", (193_284, 0, (0, 0)), (0, (0, 0), 0, 136)),
        ("KNvK", (205_496, 0, (0, 0)), (0, (0, 0), 0, 40)),
        ("KPvK", (163_328, 124_960, (55, 6)), (97_604, (56, 4), 0, 18)),
    ] {
        let table = tables.get(name);
        let stats = table.stats();
        let [white, black] = &stats.sides;
        assert_eq!((white.full.legal, white.full.win, white.full.max_win()), first, "{name}");
        assert_eq!((black.full.loss, black.full.max_loss(), black.mated, black.stalemated), second, "{name}");
        let others = tables.others(table.space());
        assert_eq!(table.verify(&others, 3).1, []);
    }
}

#[test]
fn four_men_have_published_statistics() {
    let mut tables = Tables::<ChessSpace>::new(Metric::Dtm);
    for (name, side, full, win, loss) in [
        ("KQQvK", Side::Second, (6_830_292, 0, 6_689_116), (0, 0), (20, 64)),
        ("KQvKR", Side::First, (8_952_608, 8_863_768, 17_136), (69, 80), (36, 32)),
        ("KQvKR", Side::Second, (10_780_728, 3_090_088, 7_062_680), (37, 184), (70, 472)),
        ("KPvKP", Side::First, (7_436_088, 3_213_028, 1_737_970), (65, 24), (66, 2)),
    ] {
        let table = tables.get(name);
        let count = &table.stats().sides[side.index()].full;
        assert_eq!((count.legal, count.win, count.loss), full, "{name}");
        assert_eq!((count.max_win(), count.max_loss()), (win, loss), "{name}");
        let others = tables.others(table.space());
        assert_eq!(table.verify(&others, 3).1, []);
    }
}
