//! Tables on disk, `.bbtb`: one file per material and metric. `layout` specifies the format.

mod layout;
mod map;
mod pack;
mod write;

use super::material::Material;
use super::value::Metric;

pub use layout::{Bits, Header, MAGIC, VERSION};
pub use map::TableFile;

/// Returns the name of the file of a table, such as `KRvK.chess.dtm.bbtb`.
pub fn file_name(material: &Material, metric: Metric) -> String {
    format!("{material}.{}.{}.bbtb", material.game().name(), metric.name())
}
