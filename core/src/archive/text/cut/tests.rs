use super::*;

fn pieces(text: &[u8]) -> Vec<(u64, u64, usize)> {
    let mut pieces = Vec::new();
    let read = cut_pgn(&mut &text[..], 0, &mut |piece| {
        match piece {
            Piece::Games { offset, line, bytes } => {
                assert_eq!(&text[offset as usize..][..bytes.len()], bytes);
                pieces.push((offset, line, bytes.len()));
            }
            Piece::TooLarge { offset } => pieces.push((offset, 0, usize::MAX)),
        }
        ControlFlow::Continue(())
    });
    assert!(read.is_ok());
    pieces
}

#[test]
fn a_long_line_is_cut_between_its_games() {
    let text = "1. e4 {[%clk 1]} e5 1-0 ".repeat(3 * LONG_BYTES / 24);
    let pieces = pieces(text.as_bytes());
    assert!(pieces.len() > 1);
    assert!(pieces.iter().all(|(offset, _, _)| text[*offset as usize..].starts_with("1. e4")));
    assert_eq!(pieces.iter().map(|piece| piece.2).sum::<usize>(), text.len());
}

#[test]
fn blocks_end_where_games_end_and_add_up() {
    let game = format!("[Event \"x\"]\r\n\r\n1. e4 {{ {} }} e5 *\r\n\r\n", "[Event x".repeat(1000));
    let text = game.repeat(300);
    let pieces = pieces(text.as_bytes());
    assert!(pieces.len() > 2);
    let mut expected = 0;
    for (offset, line, length) in pieces {
        assert_eq!((offset, length % game.len()), (expected, 0));
        assert_eq!(line, offset / game.len() as u64 * 4);
        expected += length as u64;
    }
    assert_eq!(expected, text.len() as u64);
}

#[test]
fn lines_that_end_with_cr_alone_are_lines() {
    let game = "[Event \"x\"]\r\r1. e4 e5 *\r\r";
    let text = game.repeat(20_000);
    let mut lines = Vec::new();
    let read = cut_pgn(&mut text.as_bytes(), 0, &mut |piece| {
        if let Piece::Games { offset, line, bytes } = piece {
            assert_eq!(bytes.len() % game.len(), 0);
            assert!(bytes.starts_with(b"[Event \"x\"]\n\n1."));
            lines.push((offset / game.len() as u64 * 4, line));
        }
        ControlFlow::Continue(())
    });
    assert!(read.is_ok() && lines.len() > 1);
    assert!(lines.iter().all(|(expected, line)| expected == line));
}

#[test]
fn a_game_larger_than_a_block_makes_a_larger_block() {
    let game = |bytes| format!("[Event \"x\"]\n\n1. e4 {{ {} }} *\n\n", "x".repeat(bytes));
    let text = game(3 * BLOCK_BYTES) + &game(2 * BLOCK_BYTES);
    let cut = text.rfind("[Event").unwrap();
    assert_eq!(pieces(text.as_bytes()), [(0, 0, cut), (cut as u64, 4, text.len() - cut)]);
}

#[test]
fn a_game_beyond_the_bound_is_left_out_and_its_neighbours_stay() {
    let huge = format!("[Event \"x\"]\n\n1. e4 {{ {} }} *\n\n", "x\n".repeat(MAX_GAME_BYTES / 2));
    let text = format!("[Event \"a\"]\n\n*\n\n{huge}[Event \"y\"]\n\n*\n");
    let last = text.rfind("[Event").unwrap();
    let lines = memchr_iter(b'\n', &text.as_bytes()[..last]).count() as u64;
    let expected = [(0, 0, 16), (16, 0, usize::MAX), (last as u64, lines, text.len() - last)];
    assert_eq!(pieces(text.as_bytes()), expected);
}
