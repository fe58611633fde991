//! Xiangqi tables against the numbers of an independent solver, every index against its inverse.

use super::{Tables, gapless_numbers_invert};
use crate::endgame::{Material, Metric, Space, XiangqiSpace};
use crate::game::GameId;

const NAMES: [&str; 8] = ["KvK", "KvKA", "KvKBB", "KRvKAA", "KNvKB", "KPvK", "KPPvK", "KRvKP"];

fn space(name: &str) -> XiangqiSpace {
    XiangqiSpace::new(&Material::parse(GameId::Xiangqi, name).unwrap().canonical().0).unwrap()
}

#[test]
fn every_gapless_number_is_that_of_its_position() {
    NAMES.iter().for_each(|name| gapless_numbers_invert(&space(name), 1));
}

#[test]
fn every_cell_has_a_gapless_number() {
    for name in NAMES {
        let space = space(name);
        for cell in 0..space.cells() {
            let Some(men) = space.men(0, cell) else { continue };
            assert_eq!(space.locate(&men), (0, cell));
            let stored = space.gapless_men(space.gapless_index(&men)).unwrap();
            assert_eq!(space.gapless_index(&stored), space.gapless_index(&men), "{name} {men:?}");
        }
    }
}

#[test]
fn small_tables_have_known_statistics() {
    let mut tables = Tables::<XiangqiSpace>::new(Metric::Dtm);
    // Red to move: legal, won, longest win; black to move: lost, longest loss, mated, stalemated.
    for (name, red, black) in [
        ("KvK", (54, 0, (0, 0)), (0, (0, 0), 0, 0)),
        ("KRvK", (3834, 3834, (3, 2292)), (4806, (4, 2853), 138, 120)),
        ("KRvKBB", (80_328, 80_328, (23, 714)), (94_962, (24, 3948), 2826, 0)),
        ("KNvKA", (21_426, 21_366, (37, 186)), (21_990, (38, 332), 0, 6)),
        ("KPvKA", (13_092, 1104, (13, 30)), (363, (12, 12), 0, 6)),
        ("KCAvK", (22_710, 22_710, (17, 186)), (22_274, (18, 261), 36, 0)),
        ("KCvKAA", (39_828, 1968, (1, 1968)), (228, (0, 228), 204, 24)),
        ("KPPvK", (72_369, 70_803, (19, 114)), (79_884, (20, 198), 138, 2118)),
    ] {
        let table = tables.get(name);
        let stats = table.stats();
        let [first, second] = &stats.sides;
        assert_eq!((first.full.legal, first.full.win, first.full.max_win()), red, "{name}");
        assert_eq!(
            (second.full.loss, second.full.max_loss(), second.mated, second.stalemated),
            black,
            "{name}"
        );
        let others = tables.others(table.space());
        assert_eq!(table.verify(&others, 3).1, []);
    }
}
