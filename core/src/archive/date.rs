//! Dates as archives write them. In goes free text (`1999.1.21`, `1997年11月16日`, `????.??.??`), out comes the year.

/// Returns the first group of exactly four digits that can be a year (1000–2999); 0 if there is none.
pub(super) fn year_of(text: &str) -> u16 {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|group| group.len() == 4)
        .filter_map(|group| group.parse().ok())
        .find(|year| (1000..3000).contains(year))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::year_of;

    #[test]
    fn the_year_is_found_in_free_text() {
        let years =
            ["1999.1.21", "1997年11月16日", "????.??.??", "21/1/1999", "99.1.21", "", "123456", "0000.??.??"];
        assert_eq!(years.map(year_of), [1999, 1997, 0, 1999, 0, 0, 0, 0]);
    }
}
