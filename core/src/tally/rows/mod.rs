//! The rows of a tally: observations in, sorted rows that add up out.
//!
//! | file | step |
//! |---|---|
//! | `row` | the columns, as one row and as tables |
//! | `sum` | the row of one position and move while games are added |
//! | `combine` | observations → sorted rows |
//! | `packed`, `column` | sorted rows in few bytes |
//! | `merge` | sorted rows of many places → one sorted stream |

mod column;
pub(super) mod combine;
pub(super) mod merge;
pub(super) mod packed;
pub(super) mod row;
pub(super) mod sum;
