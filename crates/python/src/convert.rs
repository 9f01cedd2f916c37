//! Python objects as JSON, which is what requests are read from.

use std::path::PathBuf;
use std::sync::Arc;

use eaves_app::Recordings;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyMapping, PyString};
use serde_json::{Map, Number, Value};

use crate::recording::Recording;

/// What a request says. Recordings in it have names instead, by which a session finds them.
#[derive(Default)]
pub(crate) struct Fields {
    pub(crate) json: Map<String, Value>,
    /// The recordings with their names.
    pub(crate) held: Vec<(PathBuf, Arc<Recordings>)>,
}

impl Fields {
    /// Takes every item of a mapping. What is None is not said, and a `_` after a name is only there because Python has the
    /// name for itself: `from_`.
    pub(crate) fn extend(&mut self, items: &Bound<'_, PyMapping>) -> PyResult<()> {
        for item in items.items()? {
            let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
            self.set(&name, &value)?;
        }
        Ok(())
    }

    /// Takes one item.
    pub(crate) fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if !value.is_none() {
            let value = self.value(value)?;
            self.json.insert(name.strip_suffix('_').unwrap_or(name).to_owned(), value);
        }
        Ok(())
    }

    /// Takes one item, if there is one.
    pub(crate) fn say(&mut self, name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        value.map_or(Ok(()), |value| self.set(name, value))
    }

    /// Names a recording.
    pub(crate) fn hold(&mut self, recordings: &Arc<Recordings>) -> Value {
        let held = self.held.iter().position(|(_, known)| Arc::ptr_eq(known, recordings));
        let at = held.unwrap_or_else(|| {
            let name = PathBuf::from(format!("<recording {}>", self.held.len()));
            self.held.push((name, recordings.clone()));
            self.held.len() - 1
        });
        Value::String(self.held[at].0.display().to_string())
    }

    fn value(&mut self, any: &Bound<'_, PyAny>) -> PyResult<Value> {
        if any.is_none() {
            return Ok(Value::Null);
        }
        if let Ok(truth) = any.cast::<PyBool>() {
            return Ok(Value::Bool(truth.is_true()));
        }
        if let Ok(text) = any.cast::<PyString>() {
            return Ok(Value::String(text.to_str()?.to_owned()));
        }
        if let Ok(recording) = any.cast::<Recording>() {
            return Ok(self.hold(recording.get().recordings()));
        }
        if let Some(number) = number(any)? {
            return Ok(Value::Number(number));
        }
        if any.hasattr("__fspath__")? {
            let path = any.py().import("os")?.call_method1("fspath", (any,))?;
            return Ok(Value::String(path.extract()?));
        }
        if let Ok(mapping) = any.cast::<PyMapping>() {
            let mut object = Map::new();
            for item in mapping.items()? {
                let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
                object.insert(name, self.value(&value)?);
            }
            return Ok(Value::Object(object));
        }
        match any.try_iter() {
            Ok(items) => items.map(|item| self.value(&item?)).collect::<PyResult<_>>().map(Value::Array),
            Err(_) => {
                let kind = any.get_type().name()?;
                Err(PyTypeError::new_err(format!("a request does not support values of type `{kind}`")))
            }
        }
    }
}

/// A whole number, or one with a fraction; numbers of numpy are both.
fn number(any: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
    if any.cast::<PyInt>().is_ok() || any.hasattr("__index__")? {
        let whole =
            any.extract::<i64>().map(Number::from).or_else(|_| any.extract::<u64>().map(Number::from));
        return whole.map(Some);
    }
    if any.cast::<PyFloat>().is_ok() || any.hasattr("__float__")? {
        let fraction: f64 = any.extract()?;
        let finite = Number::from_f64(fraction);
        return finite.map(Some).ok_or_else(|| PyTypeError::new_err(format!("{fraction} is no number")));
    }
    Ok(None)
}
