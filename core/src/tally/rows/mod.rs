//! The rows of a tally: observations become sorted rows, and rows add up.
//!
//! | file | step |
//! |---|---|
//! | `row` | the columns of TALLY, a row, and tables of rows |
//! | `sum` | the row of one position and move while games are added, and a result against what the ratings promise |
//! | `combine` | observations → sorted observations |
//! | `sorted` | sorted observations → rows, when they are asked for |
//! | `merge` | sorted rows of many places → one sorted stream |
//! | `frequent` | the rows of positions that enough games reached |

pub(super) mod combine;
pub(super) mod frequent;
pub(super) mod merge;
pub(super) mod row;
pub(super) mod sorted;
pub(super) mod sum;
