use super::*;

/// What a text reads as, in standard form, and what is left of it.
fn seen(text: &str) -> Option<(String, &str)> {
    read(text.as_bytes()).map(|(san, length)| (san.to_string(), &text[length..]))
}

#[test]
fn san_accepts_all_spellings() {
    for (text, san, rest) in [
        ("e4", "e4", ""),
        ("Nf3 d5", "Nf3", " d5"),
        ("Nbd2!?", "Nbd2", "!?"),
        ("R1xa3+", "R1xa3", ""),
        ("Qh4xe1#", "Qh4xe1", ""),
        ("exd6e.p.+ x", "exd6", " x"),
        ("ed5", "ed5", ""),
        ("e2-e4", "e2e4", ""),
        ("e2e4", "e2e4", ""),
        ("Ng1-f3", "Ng1f3", ""),
        ("Bf1:b5++", "Bf1xb5", ""),
        ("e8=Q+", "e8=Q", ""),
        ("e8Q", "e8=Q", ""),
        ("e8(N)", "e8=N", ""),
        ("bxa1/R", "bxa1=R", ""),
        ("e7e8q", "e7e8=Q", ""),
        ("e8", "e8", ""),
        ("Nf3N", "Nf3", ""),
        ("Nf3=", "Nf3", ""),
        ("Pe4", "e4", ""),
        ("O-O-O#", "O-O-O", ""),
        ("0-0!", "O-O", "!"),
        ("\u{2658}f6", "Nf6", ""),
        ("\u{265e}f6", "Nf6", ""),
        ("--", "--", ""),
        ("Z0", "--", ""),
        ("e4-e5", "e4e5", ""),
        ("a1-", "a1", "-"),
        ("e8(Qe7)", "e8", "(Qe7)"),
    ] {
        assert_eq!(seen(text), Some((san.to_owned(), rest)), "{text}");
    }
}

#[test]
fn san_rejects_other_texts() {
    let texts = "N Nf Nf9 e9 e ex exd i4 Nf3a e4e 0-1 1-0 O-O-O-O P-K4 Sf3 ed x4 - Z Black bad 00".split(' ');
    for text in texts.chain(["", "\u{2660}f6", "Nf3\u{30}"]) {
        assert_eq!(seen(text), None, "{text}");
    }
}
