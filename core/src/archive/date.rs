//! Finds the year in dates of archives, which are free text: `1999.1.21`, `1997年11月16日`, `03-02-17`.

/// Returns the year of a date; 0 if there is none.
///
/// The first group of digits that begins with a year decides: four digits, or more that begin with 18, 19 or 20
/// (`19840512`). Without one, three groups are read as year, month and day with a year of two digits: 40 to 99 is the
/// 20th century, 00 to 39 the 21st. (Of the XQF files that are dated so, all that tell their year elsewhere too agree
/// that it comes first; most are of 2002 to 2005.)
pub(super) fn year_of(text: &str) -> u16 {
    let groups = || text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    groups().find_map(full_year).or_else(|| short_year(groups())).unwrap_or(0)
}

fn full_year(group: &str) -> Option<u16> {
    let year = group.get(..4)?.parse().ok()?;
    let range = if group.len() == 4 { 1000..3000 } else { 1800..2100 };
    range.contains(&year).then_some(year)
}

fn short_year<'a>(mut groups: impl Iterator<Item = &'a str>) -> Option<u16> {
    let mut next =
        || groups.next().filter(|group| group.len() <= 2).and_then(|group| group.parse::<u16>().ok());
    let (year, month, day) = (next()?, next()?, next()?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some(if year < 40 { 2000 + year } else { 1900 + year })
}

#[cfg(test)]
mod tests {
    use super::year_of;

    #[test]
    fn the_year_is_found_in_free_text() {
        for (text, year) in [
            ("1999.1.21", 1999),
            ("1997年11月16日", 1997),
            ("21/1/1999", 1999),
            ("19840512", 1984),
            ("03-02-17", 2003),
            ("84-5-12", 1984),
            ("????.??.??", 0),
            ("0000.??.??", 0),
            ("99.13.1", 0),
            ("12月31日", 0),
            ("123456", 0),
            ("", 0),
        ] {
            assert_eq!(year_of(text), year, "{text}");
        }
    }
}
