//! Laws of run files and parts: what is written is what is read, and no split of rows or games shows in a part.

mod damage;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use tempfile::TempDir;

use super::columns::RowGroup;
use super::*;
use crate::filter::Cells;
use crate::tally::{
    GameBlocks, Games, KeyRange, Kind, Row, RowBlocks, Run, RunFile, RunWriter, StorageError,
};

static GO_ON: AtomicBool = AtomicBool::new(false);

/// Rows of few positions, so that two tables share some; with keys at the ends of ranges.
fn group(with_cells: bool, rows: &[Row]) -> RowGroup {
    let mut group = RowGroup::new(with_cells);
    group.push(rows);
    group
}

fn table() -> impl Strategy<Value = Vec<Row>> {
    let key = prop_oneof![0..40u64, Just((1 << 58) - 1), Just(1 << 58), Just(1 << 63), Just(u64::MAX)];
    let counts = (any::<[u32; 4]>(), any::<u16>(), any::<u32>(), -1000..1000i64, any::<u64>(), 0..3u16);
    let row = (key, 0..2u32, 0..3u16, counts).prop_map(|(key, lock, played, rest)| {
        let (counts, small, rating_sum, marks, sample, sample_rating) = rest;
        let [games, first_wins, draws, second_wins] = counts.map(u64::from);
        Row {
            key,
            lock,
            played,
            mover: (key & 1) as u8,
            games,
            first_wins,
            draws,
            second_wins,
            ply: small,
            rating_sum: u64::from(rating_sum),
            rated: u64::from(small % 7),
            year_min: small / 2,
            year_max: small,
            marks,
            sample,
            sample_rating,
            paired: u64::from(small % 5),
            surplus: marks - 100,
            cell: small % 3,
        }
    });
    prop::collection::vec(row, 0..200).prop_map(|mut rows| {
        rows.sort_by_key(Row::identity);
        rows.dedup_by_key(|row| row.identity());
        rows
    })
}

fn games() -> impl Strategy<Value = Games> {
    let game = (any::<u64>(), 0..3u32, "[a-c]{0,2}", 0..50u64, "\\PC{0,6}", any::<[u16; 4]>(), any::<bool>());
    prop::collection::vec(game, 0..60).prop_map(|rows| {
        let mut games = Games::default();
        for (fingerprint, source, member, offset, text, numbers, _) in rows {
            games.fingerprint.push(fingerprint);
            games.source.push(source);
            games.member.push(&member);
            games.offset.push(offset);
            games.line.push(offset * 2);
            games.first_player.push(&text);
            games.second_player.push("B");
            games.first_rating.push(numbers[0]);
            games.second_rating.push(numbers[1]);
            games.date.push("2001.??.??");
            games.year.push(numbers[2]);
            games.event.push(&text);
            games.result.push((numbers[3] % 4) as u8);
            games.plies.push(numbers[3]);
        }
        games.sorted(&NAMES)
    })
}

const NAMES: [&str; 3] = ["b.pgn", "a.pgn", "c.pgn"];

fn run_of(folder: &TempDir, name: &str, rows: &[Row], games: &Games) -> PathBuf {
    let path = folder.path().join(format!("{name}.run"));
    let mut writer = RunWriter::create(&path).unwrap();
    rows.chunks(4096).for_each(|block| writer.rows(block).unwrap());
    writer.games(games).unwrap();
    writer.block(Kind::Figures, KeyRange::ALL, br#"{"end": [3, 4, 5, 6]}"#).unwrap();
    writer.finish().unwrap();
    path
}

fn input_of(folder: &TempDir, name: &str, rows: &[Row], games: &Games) -> RowInput {
    RowInput::Run(Run::open(&run_of(folder, name, rows, games)).unwrap())
}

fn all_rows(mut blocks: impl RowBlocks) -> Result<Vec<Row>, StorageError> {
    let (mut rows, mut block) = (Vec::new(), Vec::new());
    while blocks.fill(&mut block)? {
        rows.append(&mut block);
    }
    Ok(rows)
}

fn all_games(mut blocks: impl GameBlocks) -> Games {
    let mut games = Games::default();
    loop {
        let block = blocks.next_block().unwrap();
        if block.is_empty() {
            return games;
        }
        games.extend(&block, 0..block.len());
    }
}

fn reduced(inputs: &[RowInput], range: KeyRange, target: &Path) -> Option<PartSummary> {
    reduce_rows(
        inputs,
        range,
        target,
        true,
        &[("a".into(), "b".into())],
        1 + usize::from(range == KeyRange::ALL),
        &GO_ON,
    )
    .unwrap()
}

/// Deals rows out to several tables, some rows to two, whose counts then add up to the row's.
fn dealt(rows: &[Row], tables: usize) -> Vec<Vec<Row>> {
    let mut dealt = vec![Vec::new(); tables];
    for (index, row) in rows.iter().enumerate() {
        if index % 3 == 0 && row.games > 0 {
            let mut rest =
                Row { games: 1, first_wins: 0, draws: 0, second_wins: 0, rating_sum: 0, rated: 0, ..*row };
            (rest.marks, rest.paired, rest.surplus) = (0, 0, 0);
            dealt[(index + 1) % tables].push(rest);
            dealt[index % tables].push(Row { games: row.games - 1, ..*row });
        } else {
            dealt[index * 7 % tables].push(*row);
        }
    }
    dealt.iter_mut().for_each(|rows| rows.sort_by_key(Row::identity));
    dealt
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_run_file_gives_back_what_was_written(rows in table(), games in games(), first: u64, last: u64) {
        let folder = TempDir::new().unwrap();
        let run = RunFile::open(&run_of(&folder, "a", &rows, &games)).unwrap();
        prop_assert_eq!(run.end().unwrap().games_used, 6);
        prop_assert_eq!(all_rows(run.rows(KeyRange::ALL).unwrap()).unwrap(), rows.clone());
        prop_assert_eq!(all_games(run.games().unwrap()), games);
        let range = KeyRange { first: first.min(last), last: first.max(last) };
        let within: Vec<Row> = rows.into_iter().filter(|row| range.holds(row.key)).collect();
        prop_assert_eq!(all_rows(run.rows(range).unwrap()).unwrap(), within);
    }

    #[test]
    fn no_split_of_rows_shows_in_a_part(rows in table(), tables in 2..5usize) {
        let folder = TempDir::new().unwrap();
        let whole = folder.path().join("whole.parquet");
        let one = input_of(&folder, "one", &rows, &Games::default());
        let summary = reduced(&[one], KeyRange::ALL, &whole);
        prop_assert_eq!(summary.map_or(0, |summary| summary.rows), rows.len() as u64);
        let runs: Vec<Run> = dealt(&rows, tables).iter().enumerate()
            .map(|(number, rows)| Run::open(&run_of(&folder, &number.to_string(), rows, &Games::default())).unwrap())
            .collect();
        let inputs: Vec<RowInput> = runs.iter().cloned().map(RowInput::Run).collect();
        let split = folder.path().join("split.parquet");
        prop_assert_eq!(reduced(&inputs, KeyRange::ALL, &split), summary);
        prop_assert_eq!(count_rows(&inputs, KeyRange::ALL, &GO_ON).unwrap(), rows.len() as u64);
        if rows.is_empty() {
            prop_assert!(!split.exists());
            return Ok(());
        }
        prop_assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&split).unwrap());
        let read = PartSummary { checksums: Checksums::default(), ..summary.unwrap() };
        prop_assert_eq!(check_part(&split, &GO_ON).unwrap(), read);
        prop_assert_eq!(all_rows(PartRows::open(&split, KeyRange::ALL).unwrap()).unwrap(), rows);
        // By way of parts of two ranges, and of runs merged before.
        let halves = [KeyRange { first: 0, last: 1 << 58 }, KeyRange { first: (1 << 58) + 1, last: u64::MAX }];
        let mut parts = Vec::new();
        for (number, half) in halves.into_iter().enumerate() {
            let part = folder.path().join(format!("{number}.parquet"));
            if reduced(&inputs, half, &part).is_some() {
                parts.push(RowInput::Part(part));
            }
        }
        let again = folder.path().join("again.parquet");
        reduced(&parts, KeyRange::ALL, &again);
        prop_assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&again).unwrap());
        let merged = folder.path().join("merged.run");
        merge_runs(&runs, &NAMES.map(String::from), &merged, &GO_ON).unwrap();
        reduced(&[RowInput::Run(Run::open(&merged).unwrap())], KeyRange::ALL, &again);
        prop_assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&again).unwrap());
    }

    #[test]
    fn every_position_is_looked_up(rows in table(), key in 0..50u64) {
        prop_assume!(!rows.is_empty());
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a.parquet");
        let mut writer = PartWriter::create(&path, true, &[], 1).unwrap();
        // Row groups of few rows, whose edges positions cross.
        rows.chunks(7).for_each(|rows| writer.group(&group(true, rows), || Ok(())).unwrap());
        let checksums = writer.finish().unwrap();
        let part = PartLookup::open(&path, checksums).unwrap();
        let asked = rows.iter().map(|row| (row.key, row.lock)).chain([(key, 0), (key, 9)]);
        for position in asked {
            let mut found = Vec::new();
            part.rows(position, Reach::Whole, &mut found).unwrap();
            let expected: Vec<Row> = rows.iter().filter(|row| (row.key, row.lock) == position).copied().collect();
            prop_assert_eq!(&found, &expected);
            let mut counts = Vec::new();
            part.rows(position, Reach::Counts, &mut counts).unwrap();
            let games = |rows: &[Row]| rows.iter().map(|row| (row.games, row.draws)).collect::<Vec<_>>();
            prop_assert_eq!(games(&counts), games(&expected));
        }
    }

    #[test]
    fn cells_add_up_to_what_is_counted_without_them(rows in table()) {
        let mut sums = Vec::new();
        sum_cells(rows.iter().copied(), &Cells::default(), &mut sums);
        let mut plain: Vec<Row> = rows.iter().map(|row| Row { cell: 0, ..*row }).collect();
        plain.dedup_by(|next, row| row.identity() == next.identity() && { row.add(next); true });
        prop_assert_eq!(sums, plain);
    }

    #[test]
    fn no_split_of_games_shows_in_a_part(games in games(), cut in 0..60usize) {
        let folder = TempDir::new().unwrap();
        let names = NAMES.map(String::from);
        let (mut one, mut two) = (Games::default(), Games::default());
        for index in 0..games.len() {
            let side = if (index * 31 + cut) % 3 == 0 { &mut one } else { &mut two };
            side.extend(&games, index..index + 1);
        }
        let run = |name: &str, games: &Games| input_of(&folder, name, &[], games);
        let name = |kind: &str| folder.path().join(format!("{kind}.parquet"));
        let whole = [run("whole", &games)];
        let counts = reduce_games(&whole, &names, &|_| name("whole"), &[], &GO_ON).unwrap();
        prop_assert_eq!(counts.iter().sum::<u64>(), games.len() as u64);
        let runs = [run("one", &one), run("two", &two)];
        reduce_games(&runs, &names, &|_| name("split"), &[], &GO_ON).unwrap();
        if games.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(std::fs::read(name("whole")).unwrap(), std::fs::read(name("split")).unwrap());
        let indices = names.iter().zip(0..).map(|(name, index)| (name.clone(), index)).collect();
        prop_assert_eq!(all_games(GamesPart::open(&name("whole"), &Arc::new(indices)).unwrap()), games);
        reduce_games(&[RowInput::Part(name("split"))], &names, &|_| name("again"), &[], &GO_ON).unwrap();
        prop_assert_eq!(std::fs::read(name("whole")).unwrap(), std::fs::read(name("again")).unwrap());
    }

    #[test]
    fn a_changed_byte_of_a_run_file_is_found(rows in table(), games in games(), place: prop::sample::Index) {
        let folder = TempDir::new().unwrap();
        let path = run_of(&folder, "a", &rows, &games);
        let mut bytes = std::fs::read(&path).unwrap();
        let place = place.index(bytes.len());
        bytes[place] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        let read = || -> Result<(), StorageError> {
            let run = RunFile::open(&path)?;
            all_rows(run.rows(KeyRange::ALL)?)?;
            let mut games = run.games()?;
            while !games.next_block()?.is_empty() {}
            run.end().map(drop)
        };
        prop_assert!(read().is_err());
    }
}

#[test]
fn a_stop_ends_a_task_and_leaves_no_part() {
    let folder = TempDir::new().unwrap();
    let row = Row { key: 1, ..Row::default() };
    let run = input_of(&folder, "a", &[row], &Games::default());
    let target = folder.path().join("a.parquet");
    let stopped = reduce_rows(&[run], KeyRange::ALL, &target, true, &[], 1, &AtomicBool::new(true));
    assert!(matches!(stopped, Err(StorageError::Stopped)));
    assert!(!target.exists());
}

#[test]
fn a_file_with_other_columns_is_refused() {
    let folder = TempDir::new().unwrap();
    let games = all_games_of_one();
    let run = input_of(&folder, "a", &[], &games);
    let name = folder.path().join("games.parquet");
    reduce_games(&[run], &NAMES.map(String::from), &|_| name.clone(), &[], &GO_ON).unwrap();
    let error = PartRows::open(&name, KeyRange::ALL).err().unwrap();
    assert!(error.to_string().contains("expected those of TALLY"));
}

fn all_games_of_one() -> Games {
    let mut games =
        Games { fingerprint: vec![1], source: vec![0], offset: vec![0], line: vec![1], ..Games::default() };
    for text in [
        &mut games.member,
        &mut games.first_player,
        &mut games.second_player,
        &mut games.date,
        &mut games.event,
    ] {
        text.push("");
    }
    for number in [&mut games.first_rating, &mut games.second_rating, &mut games.year, &mut games.plies] {
        number.push(0);
    }
    games.result.push(0);
    games
}
