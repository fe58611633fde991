use super::*;

#[test]
fn moves_end_with_their_line_or_where_the_head_is_cut() {
    for (head, is_taken) in [
        ("h2e2h9g7\n", true),
        ("h2e2h9", true),
        ("h2e2 h9g7\n", false),
        ("a0a1 *\n", false),
        ("h2e2h9g7 1-0\n", false),
    ] {
        assert_eq!(is_coordinate_text(head.as_bytes()), is_taken, "{head}");
    }
}
