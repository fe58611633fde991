//! scratch
use bookbuilder_core::archive::*;
use bookbuilder_core::chess::Chess;
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    for p in std::env::args().skip(2) {
        let mut n = 0usize;
        let r = read_blocks(std::path::Path::new(&p), &Default::default(), &mut |f| {
            match f {
                Found::Block(b) => {
                    if b.format == Format::Pgn {
                        let text = b.bytes.clone();
                        Chess::read_block(&b, &ReadOptions::default(), &mut |r| {
                            n += 1;
                            if mode == "odd" && (r.event.is_empty() && r.first_player.is_empty()) {
                                let s = (r.offset - b.offset) as usize;
                                println!(
                                    "{:?} {} {:?} {:?}",
                                    b.member,
                                    r.line,
                                    String::from_utf8_lossy(&text[s.saturating_sub(60)..s]),
                                    String::from_utf8_lossy(&text[s..(s + 80).min(text.len())])
                                );
                            }
                            if mode == "list" {
                                println!(
                                    "{}\t{}\t{}\t{}\t{}\t{:?}\t{:?}\t{}",
                                    p,
                                    r.offset,
                                    r.moves.len(),
                                    r.outcome as u8,
                                    r.variant.as_deref().unwrap_or("-"),
                                    r.start,
                                    r.defect.as_ref().map(|d| d.reason),
                                    r.moves.iter().map(|m| m.to_string()).collect::<Vec<_>>().join(" ")
                                );
                            }
                        });
                    }
                }
                Found::Skipped { reason, .. } => println!("# {reason}"),
            }
            std::ops::ControlFlow::Continue(())
        });
        eprintln!("{p}: {n} {r:?}");
    }
}
