//! Merges sorted rows from many places into one sorted stream; rows of the same position, move and cell are added.
//!
//! Only a block of each input is in memory at a time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::row::{Identity, Row, Rows, RowsRef};
use crate::tally::storage::StorageError;

/// Rows that are taken at a time; chosen, not tuned.
const STEP: usize = 4096;

/// Rows that come in blocks, in order.
pub trait RowBlocks {
    /// Puts the next rows into `rows`, which is empty; leaves it empty at the end.
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError>;

    /// Replaces `rows` by the next ones; returns whether there are any.
    fn fill(&mut self, rows: &mut Vec<Row>) -> Result<bool, StorageError> {
        rows.clear();
        self.next_block(rows)?;
        Ok(!rows.is_empty())
    }
}

/// A sorted table and its next row.
struct TableRows<'t>(&'t RowsRef<'t>, usize);

impl RowBlocks for TableRows<'_> {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        let TableRows(table, next) = self;
        let end = table.len().min(*next + STEP);
        rows.extend((*next..end).map(|index| table.row(index)));
        *next = end;
        Ok(())
    }
}

/// Merges sorted tables into one; rows of the same position, move and cell are added.
///
/// # Errors
/// None: tables are in memory.
pub fn merge(tables: &[RowsRef<'_>]) -> Result<Rows, StorageError> {
    let inputs = tables.iter().map(|table| Box::new(TableRows(table, 0)) as Box<dyn RowBlocks>);
    let mut merge = Merge::new(inputs.collect())?;
    let (mut merged, mut block) = (Rows::default(), Vec::new());
    merged.reserve_exact(tables.iter().map(RowsRef::len).sum());
    while merge.fill(&mut block)? {
        merged.extend(&block);
    }
    Ok(merged)
}

/// One input and the block of it that is in memory.
struct Input<'a> {
    blocks: Box<dyn RowBlocks + 'a>,
    rows: Vec<Row>,
    next: usize,
}

impl Input<'_> {
    /// Returns what the next row counts, reading on where a block ends.
    fn head(&mut self) -> Result<Option<Identity>, StorageError> {
        if self.next == self.rows.len() {
            self.rows.clear();
            self.next = 0;
            self.blocks.next_block(&mut self.rows)?;
        }
        Ok(self.rows.get(self.next).map(Row::identity))
    }

    /// Appends the next rows, at most `limit`; fewer only at the end.
    fn take(&mut self, mut limit: usize, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        while limit > 0 && self.head()?.is_some() {
            let end = self.rows.len().min(self.next + limit);
            rows.extend_from_slice(&self.rows[self.next..end]);
            limit -= end - self.next;
            self.next = end;
        }
        Ok(())
    }
}

/// Sorted inputs merged into one stream.
pub struct Merge<'a> {
    inputs: Vec<Input<'a>>,
    /// The next row of each input that is not at its end, the smallest first.
    heads: BinaryHeap<Reverse<(Identity, usize)>>,
}

impl<'a> Merge<'a> {
    /// Returns the merge of sorted inputs.
    pub fn new(inputs: Vec<Box<dyn RowBlocks + 'a>>) -> Result<Merge<'a>, StorageError> {
        let input = |blocks| Input { blocks, rows: Vec::new(), next: 0 };
        let mut merge = Merge { inputs: inputs.into_iter().map(input).collect(), heads: BinaryHeap::new() };
        for (index, input) in merge.inputs.iter_mut().enumerate() {
            merge.heads.extend(input.head()?.map(|head| Reverse((head, index))));
        }
        Ok(merge)
    }

    /// Appends the next rows, at most `limit`; fewer only at the end.
    pub fn take(&mut self, limit: usize, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        if let [only] = &mut self.inputs[..] {
            return only.take(limit, rows);
        }
        let enough = rows.len() + limit;
        while rows.len() < enough {
            let Some((identity, mut row)) = self.pop()? else { break };
            while self.heads.peek().is_some_and(|Reverse((next, _))| *next == identity) {
                if let Some((_, same)) = self.pop()? {
                    row.add(&same);
                }
            }
            rows.push(row);
        }
        Ok(())
    }

    /// Takes the smallest head.
    fn pop(&mut self) -> Result<Option<(Identity, Row)>, StorageError> {
        let Some(mut top) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((identity, index)) = *top;
        let input = &mut self.inputs[index];
        let row = input.rows[input.next];
        input.next += 1;
        match input.head()? {
            // Changed in place: the heap is mended once.
            Some(head) => *top = Reverse((head, index)),
            None => drop(std::collections::binary_heap::PeekMut::pop(top)),
        }
        Ok(Some((identity, row)))
    }
}

impl RowBlocks for Merge<'_> {
    fn next_block(&mut self, rows: &mut Vec<Row>) -> Result<(), StorageError> {
        self.take(STEP, rows)
    }
}
