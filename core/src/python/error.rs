//! Native errors in, Python exceptions out. The classes are defined in `bookbuilder/errors.py`, where their tree is
//! drawn; each native error has its own.

use pyo3::PyErr;

/// The Python classes.
mod class {
    use pyo3::import_exception;

    import_exception!(bookbuilder.errors, OptionError);
    import_exception!(bookbuilder.errors, SchemaError);
}

/// A request that makes no sense.
pub fn usage(message: String) -> PyErr {
    class::OptionError::new_err(message)
}

/// A table that does not follow its schema.
pub fn schema(message: String) -> PyErr {
    class::SchemaError::new_err(message)
}
