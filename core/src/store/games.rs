//! Parts of GAMES: writes sorted games as Parquet files, and reads them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::reader::{FileReader, Length, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::columns::{Coding, basic_properties, coded, failed};
use super::file::PartFile;
use super::shape::guarded;
use super::sums::{Summed, publish};
use crate::disk::Draft;
use crate::footer::check_groups;
use crate::tally::{BytesColumn, GameBlocks, Games, StorageError, TextColumn};

const SCHEMA: &str = "message schema {
    REQUIRED INT64 fingerprint (INTEGER(64,false));
    REQUIRED BYTE_ARRAY source (STRING);
    OPTIONAL BYTE_ARRAY member (STRING);
    REQUIRED INT64 offset (INTEGER(64,false));
    REQUIRED INT64 line (INTEGER(64,false));
    REQUIRED BYTE_ARRAY first_player (STRING);
    REQUIRED BYTE_ARRAY second_player (STRING);
    REQUIRED INT32 first_rating (INTEGER(16,false));
    REQUIRED INT32 second_rating (INTEGER(16,false));
    REQUIRED BYTE_ARRAY date (STRING);
    REQUIRED INT32 year (INTEGER(16,false));
    REQUIRED BYTE_ARRAY event (STRING);
    REQUIRED INT32 result (INTEGER(8,false));
    REQUIRED INT32 plies (INTEGER(16,false));
    OPTIONAL INT64 line_hash (INTEGER(64,false));
    OPTIONAL BYTE_ARRAY moves;
}";

/// Writes a part of GAMES. Nothing is seen of it before it is whole.
pub struct GamesWriter {
    path: PathBuf,
    writer: SerializedFileWriter<Summed<Draft>>,
    games: u64,
}

impl GamesWriter {
    /// Games of a row group; chosen, not tuned.
    pub const GAMES: usize = 32 * 1024;

    /// Begins a part; `metadata` are the key-value pairs of the file.
    pub fn create(path: &Path, metadata: &[(String, String)]) -> Result<GamesWriter, StorageError> {
        let file = Draft::of(path).map_err(|error| StorageError::io(path, error))?;
        let wrong = |error| failed(path, &error);
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(wrong)?);
        let writer =
            SerializedFileWriter::new(Summed::new(file), schema, properties(metadata)).map_err(wrong)?;
        Ok(GamesWriter { path: path.to_owned(), writer, games: 0 })
    }

    /// Appends a row group; `names` are the names of the games' sources.
    pub fn group(&mut self, games: &Games, names: &[String]) -> Result<(), StorageError> {
        self.games += games.len() as u64;
        let written = self.writer.next_row_group().and_then(|mut group| {
            write_games(&mut group, games, names)?;
            group.close()
        });
        written.map(drop).map_err(|error| failed(&self.path, &error))
    }

    /// Ends the part, gives it its name and returns how many games it holds.
    pub fn finish(self) -> Result<u64, StorageError> {
        publish(&self.path, self.writer)?;
        Ok(self.games)
    }
}

fn properties(metadata: &[(String, String)]) -> WriterPropertiesPtr {
    let mut builder = basic_properties(metadata).set_max_row_group_row_count(Some(GamesWriter::GAMES));
    for (name, coding) in [
        ("fingerprint", Coding::Plain),
        ("offset", Coding::Delta),
        ("line", Coding::Delta),
        ("line_hash", Coding::Plain),
        ("moves", Coding::Plain),
    ] {
        builder = coded(builder, name, coding);
    }
    Arc::new(builder.build())
}

type Group<'a> = SerializedRowGroupWriter<'a, Summed<Draft>>;

fn write_games(group: &mut Group<'_>, games: &Games, names: &[String]) -> ParquetResult<()> {
    let source = |&index: &u32| ByteArray::from(names[index as usize].as_str());
    let wide = |values: &[u64]| values.iter().map(|&value| value as i64).collect::<Vec<_>>();
    let narrow = |values: &[u16]| values.iter().map(|&value| i32::from(value)).collect::<Vec<_>>();
    let texts = |column: &TextColumn| column.iter().map(ByteArray::from).collect::<Vec<_>>();
    let optional = |present: bool| vec![i16::from(present); games.len()];
    write::<Int64Type>(group, &wide(&games.fingerprint), None)?;
    write::<ByteArrayType>(group, &games.source.iter().map(source).collect::<Vec<_>>(), None)?;
    let levels: Vec<i16> = games.member.iter().map(|member| i16::from(!member.is_empty())).collect();
    let members: Vec<ByteArray> =
        games.member.iter().filter(|member| !member.is_empty()).map(ByteArray::from).collect();
    write::<ByteArrayType>(group, &members, Some(&levels))?;
    write::<Int64Type>(group, &wide(&games.offset), None)?;
    write::<Int64Type>(group, &wide(&games.line), None)?;
    write::<ByteArrayType>(group, &texts(&games.first_player), None)?;
    write::<ByteArrayType>(group, &texts(&games.second_player), None)?;
    write::<Int32Type>(group, &narrow(&games.first_rating), None)?;
    write::<Int32Type>(group, &narrow(&games.second_rating), None)?;
    write::<ByteArrayType>(group, &texts(&games.date), None)?;
    write::<Int32Type>(group, &narrow(&games.year), None)?;
    write::<ByteArrayType>(group, &texts(&games.event), None)?;
    let results: Vec<i32> = games.result.iter().map(|&result| i32::from(result)).collect();
    write::<Int32Type>(group, &results, None)?;
    write::<Int32Type>(group, &narrow(&games.plies), None)?;
    write::<Int64Type>(group, &wide(&games.line_hash), Some(&optional(!games.line_hash.is_empty())))?;
    let lines: Vec<ByteArray> = games.moves.iter().map(|line| ByteArray::from(line.to_vec())).collect();
    write::<ByteArrayType>(group, &lines, Some(&optional(!lines.is_empty())))
}

fn write<T: DataType>(group: &mut Group<'_>, values: &[T::T], levels: Option<&[i16]>) -> ParquetResult<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}

/// The games of a part of GAMES, a row group at a time.
pub struct GamesPart {
    path: PathBuf,
    reader: SerializedFileReader<PartFile>,
    /// Index of each source by its name.
    sources: HashMap<String, u32>,
    next: usize,
}

impl GamesPart {
    /// Opens a part; its games index the sources in `names`.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read.
    pub fn open(path: &Path, names: &[String]) -> Result<GamesPart, StorageError> {
        let file = PartFile::open(path)?;
        let size = file.len();
        let opened = || SerializedFileReader::new(file).map_err(|error| failed(path, &error));
        let reader = guarded(path, opened)?;
        let columns = reader.metadata().file_metadata().schema_descr().num_columns();
        if columns != 16 {
            return Err(StorageError::damaged(
                path,
                format!("it has {columns} columns, expected GAMES with 16"),
            ));
        }
        check_groups(reader.metadata(), size, GamesWriter::GAMES)
            .map_err(|what| StorageError::damaged(path, what))?;
        let sources = names.iter().enumerate().map(|(index, name)| (name.clone(), index as u32)).collect();
        Ok(GamesPart { path: path.to_owned(), reader, sources, next: 0 })
    }

    fn group(&self, index: usize) -> ParquetResult<Games> {
        let group = self.reader.get_row_group(index)?;
        let group = group.as_ref();
        let source = |name: &str| {
            let index = self.sources.get(name).copied();
            index.ok_or_else(|| ParquetError::General(format!("source {name} is not one of the store's")))
        };
        let mut names = TextColumn::default();
        read_texts(group, 1, &mut names)?;
        let mut games = Games {
            fingerprint: wide(group, 0)?,
            source: names.iter().map(source).collect::<ParquetResult<_>>()?,
            offset: wide(group, 3)?,
            line: wide(group, 4)?,
            first_rating: narrow(group, 7)?,
            second_rating: narrow(group, 8)?,
            year: narrow(group, 10)?,
            result: read::<Int32Type>(group, 12)?.0.into_iter().map(|value| value as u8).collect(),
            plies: narrow(group, 13)?,
            line_hash: wide(group, 14)?,
            ..Games::default()
        };
        read_texts(group, 2, &mut games.member)?;
        read_texts(group, 5, &mut games.first_player)?;
        read_texts(group, 6, &mut games.second_player)?;
        read_texts(group, 9, &mut games.date)?;
        read_texts(group, 11, &mut games.event)?;
        read_bytes(group, 15, &mut games.moves)?;
        Ok(games)
    }
}

impl GameBlocks for GamesPart {
    fn next_block(&mut self) -> Result<Games, StorageError> {
        if self.next == self.reader.num_row_groups() {
            return Ok(Games::default());
        }
        self.next += 1;
        guarded(&self.path, || self.group(self.next - 1).map_err(|error| failed(&self.path, &error)))
    }
}

/// Returns the values that are there, and for each row whether it has one; of a column without nulls nothing of that.
fn read<T: DataType>(group: &dyn RowGroupReader, place: usize) -> ParquetResult<(Vec<T::T>, Vec<i16>)> {
    let count = group.metadata().num_rows() as usize;
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(place)?);
    let (mut values, mut levels) = (Vec::with_capacity(count), Vec::new());
    let is_optional = group.metadata().column(place).column_descr().max_def_level() > 0;
    let (read, _, _) = reader.read_records(count, is_optional.then_some(&mut levels), None, &mut values)?;
    if read != count {
        return Err(ParquetError::General(format!("column {place} of GAMES ends too soon")));
    }
    Ok((values, levels))
}

fn wide(group: &dyn RowGroupReader, place: usize) -> ParquetResult<Vec<u64>> {
    Ok(read::<Int64Type>(group, place)?.0.into_iter().map(|value| value as u64).collect())
}

fn narrow(group: &dyn RowGroupReader, place: usize) -> ParquetResult<Vec<u16>> {
    Ok(read::<Int32Type>(group, place)?.0.into_iter().map(|value| value as u16).collect())
}

/// Appends texts; nulls as empty ones.
fn read_texts(group: &dyn RowGroupReader, place: usize, texts: &mut TextColumn) -> ParquetResult<()> {
    let (values, levels) = read::<ByteArrayType>(group, place)?;
    let mut values = values.iter();
    for row in 0..group.metadata().num_rows() as usize {
        if levels.get(row).is_some_and(|&level| level == 0) {
            texts.push("");
            continue;
        }
        let missing = || ParquetError::General(format!("column {place} of GAMES ends too soon"));
        texts.push(values.next().ok_or_else(missing)?.as_utf8()?);
    }
    Ok(())
}

fn read_bytes(group: &dyn RowGroupReader, place: usize, bytes: &mut BytesColumn) -> ParquetResult<()> {
    read::<ByteArrayType>(group, place)?.0.iter().for_each(|value| bytes.push(value.data()));
    Ok(())
}
