//! The rows of a tally: observations become sorted rows, and rows add up.
//!
//! | file | step |
//! |---|---|
//! | `schema` | the columns of TALLY |
//! | `row` | a row, and tables of rows |
//! | `column` | a packed column |
//! | `sum` | the row of one position and move while games are added |
//! | `surplus` | a result against what the ratings promise |
//! | `combine` | observations → sorted rows |
//! | `packed`, `column` | sorted rows in few bytes |
//! | `merge` | sorted rows of many places → one sorted stream |
//! | `frequent` | the rows of positions that enough games reached |

pub(super) mod column;
pub(super) mod combine;
pub(super) mod frequent;
pub(super) mod merge;
pub(super) mod packed;
pub(super) mod row;
pub(super) mod schema;
pub(super) mod sum;
mod surplus;
