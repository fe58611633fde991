use super::*;

#[test]
fn material_table_is_exact() {
    let mut table = MaterialTable::new();
    let mut judged = 0;
    for round in 0..3 {
        for pawns in 0..9 {
            for rooks in 0..3 {
                let worth = table.look_up([pawns, rooks].into_iter(), || {
                    judged += 1;
                    pawns * 10 + rooks
                });
                assert_eq!(worth, pawns * 10 + rooks, "round {round}");
            }
        }
    }
    assert!(judged < 2 * 27, "{judged} judged");
}
