//! Clocks and evaluations → comments as lichess writes them: `[%eval 0.17] [%clk 0:02:58]`.
//!
//! An evaluation is in centipawns for White. A mate in `n` moves of White is 2¹⁵ − n, of Black −2¹⁵ − 1 + n.

use std::fmt::Write;

use super::entry::Entry;

/// First evaluation that is a mate of White; of Black it is −1 less than its opposite.
const MATE: i32 = (1 << 15) - 512;

/// Returns the comment behind a ply, counted from 1; `None` without clock and evaluation.
pub(super) fn of_ply(entry: &Entry<'_>, ply: usize) -> Option<String> {
    let mut comment = String::new();
    let before = ply.checked_sub(1)?;
    if let Some(eval) = entry.evals.get(before) {
        write_eval(eval, &mut comment);
    }
    if let Some(seconds) = entry.clocks[before % 2].get(before / 2).filter(|&seconds| seconds >= 0) {
        let gap = if comment.is_empty() { "" } else { " " };
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        // Memory takes everything.
        let _ = write!(comment, "{gap}[%clk {hours}:{minutes:02}:{seconds:02}]");
    }
    (!comment.is_empty()).then_some(comment)
}

fn write_eval(eval: i32, comment: &mut String) {
    let _ = match eval {
        MATE.. => write!(comment, "[%eval #{}]", (1 << 15) - eval),
        _ if eval < -MATE => write!(comment, "[%eval #{}]", -(1 << 15) - 1 - eval),
        _ => write!(comment, "[%eval {:?}]", f64::from(eval) / 100.0),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_are_written_as_lichess_does() {
        for (eval, text) in [
            (17, "[%eval 0.17]"),
            (-120, "[%eval -1.2]"),
            (0, "[%eval 0.0]"),
            (32_765, "[%eval #3]"),
            (-32_766, "[%eval #-3]"),
            (32_256, "[%eval #512]"),
            (-32_257, "[%eval #-512]"),
            (32_255, "[%eval 322.55]"),
            (-32_256, "[%eval -322.56]"),
        ] {
            let mut comment = String::new();
            write_eval(eval, &mut comment);
            assert_eq!(comment, text);
        }
    }
}
