use super::*;

#[test]
fn fields_fill_the_record_and_its_tags() {
    let mut facts = Facts { outcome: outcome_of(2), ..Facts::default() };
    for (name, text) in
        [("Title", "残局"), ("Event", ""), ("Red", "甲"), ("RedElo", "2100"), ("Date", "1999.1.2")]
    {
        facts.add(name, text.to_owned());
    }
    let mut record = GameRecord::default();
    facts.fill(&ReadOptions::everything(), &mut record);
    assert_eq!((&*record.first_player, &*record.event, record.year), ("甲", "残局", 1999));
    assert_eq!((record.ratings, record.outcome), ([2100, 0], Outcome::SecondWins));
    assert_eq!(record.tags.len(), 5);
    assert_eq!(record.tags[4], ("Result".to_owned(), "0-1".to_owned()));
}
