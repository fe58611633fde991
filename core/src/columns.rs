//! Columns of Arrow: what tables look like in run files, in parts of GAMES and in Python.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp, PrimitiveArray, RecordBatch};

/// A number with its Arrow type.
pub trait Number: ArrowNativeTypeOp {
    type Arrow: ArrowPrimitiveType<Native = Self>;
}

macro_rules! numbers {
    ($($native:ty: $arrow:ty),*) => {
        $(impl Number for $native {
            type Arrow = $arrow;
        })*
    };
}

numbers!(i8: Int8Type, u8: UInt8Type, u16: UInt16Type, u32: UInt32Type, u64: UInt64Type, i64: Int64Type);

/// Returns a column of numbers of a table of the schema named `table`.
pub fn numbers<'a, T: ArrowPrimitiveType>(
    table: &str,
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a [T::Native], String> {
    let kind = T::DATA_TYPE;
    let column = batch
        .column_by_name(name)
        .ok_or_else(|| format!("a {table} table lacks the column \"{name}\" ({kind})"))?;
    let values = column.as_primitive_opt::<T>().ok_or_else(|| {
        format!("column \"{name}\" of a {table} table is {}, expected {kind}", column.data_type())
    })?;
    if values.null_count() > 0 {
        return Err(format!("column \"{name}\" of a {table} table holds nulls"));
    }
    Ok(values.values())
}

/// Returns numbers as a column without nulls.
pub fn array<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), None))
}
