//! The table of texts. Call chains have most of them, so a text enters the trace only when a row of it is read.

use eaves_model::{Diagnostics, StringId, Strings};

use super::super::Map;
use crate::sqlite::{Database, Error};

/// Texts by their numbers.
#[derive(Default)]
pub(super) struct Names {
    pool: String,
    texts: Vec<Text>,
    /// Numbers that do not follow one another closely enough for a list.
    sparse: Map<i64, usize>,
    /// Place in `texts`, counted from 1, by number.
    dense: Vec<u32>,
}

struct Text {
    start: usize,
    end: usize,
    /// Its id in the trace, once used.
    id: StringId,
    /// The same of the text as the name of a function, and its category.
    function: (StringId, &'static str),
}

impl Names {
    pub(super) fn read(
        &mut self,
        database: &Database<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Error> {
        let Some(table) = database.table("StringIds") else { return Ok(()) };
        table.scan(&["id", "value"], diagnostics, |row| {
            if let (Some(number), Some(text)) = (row.integer(0), row.text(1)) {
                self.add(number, &text);
            }
        })
    }

    fn add(&mut self, number: i64, text: &str) {
        let start = self.pool.len();
        self.pool.push_str(text);
        let function = (StringId::NONE, RUNTIME);
        self.texts.push(Text { start, end: self.pool.len(), id: StringId::NONE, function });
        let place = self.texts.len();
        match usize::try_from(number) {
            Ok(number) if number < 1_024 + 16 * place && place < u32::MAX as usize => {
                if self.dense.len() <= number {
                    self.dense.resize(number + 1, 0);
                }
                self.dense[number] = place as u32;
            }
            _ => drop(self.sparse.insert(number, place)),
        }
    }

    #[inline]
    fn place(&self, number: i64) -> Option<usize> {
        let dense = usize::try_from(number).ok().and_then(|number| self.dense.get(number)).copied();
        let place = dense.filter(|place| *place > 0).map(|place| place as usize);
        place.or_else(|| self.sparse.get(&number).copied())?.checked_sub(1)
    }

    /// A text as it is.
    pub(super) fn text(&self, number: Option<i64>) -> Option<&str> {
        let text = self.texts.get(self.place(number?)?)?;
        self.pool.get(text.start..text.end)
    }

    /// The id of a text in the trace.
    #[inline]
    pub(super) fn get(&mut self, number: Option<i64>, strings: &mut Strings) -> Option<StringId> {
        let place = self.place(number?)?;
        let text = self.texts.get_mut(place)?;
        if text.id == StringId::NONE {
            text.id = strings.intern(self.pool.get(text.start..text.end)?);
        }
        Some(text.id)
    }

    /// The id of the name of a function, without the version of its interface, and the category of the function.
    #[inline]
    pub(super) fn function(
        &mut self,
        number: Option<i64>,
        strings: &mut Strings,
    ) -> Option<(StringId, &'static str)> {
        let place = self.place(number?)?;
        let text = self.texts.get_mut(place)?;
        if text.function.0 == StringId::NONE {
            let name = without_version(self.pool.get(text.start..text.end)?);
            text.function = (strings.intern(name), category_of(name));
        }
        Some(text.function)
    }
}

/// The category of what is not a function of the driver.
pub(super) const RUNTIME: &str = "cuda_runtime";

/// Functions of the driver are called `cuLaunchKernel`, those of the runtime `cudaLaunchKernel`.
fn category_of(function: &str) -> &'static str {
    let is_driver =
        function.strip_prefix("cu").is_some_and(|rest| rest.starts_with(|next: char| next.is_uppercase()));
    if is_driver { "cuda_driver" } else { RUNTIME }
}

/// `cudaLaunchKernel_v7000` is `cudaLaunchKernel` since CUDA 7.0. What is part of the name, as in `cuMemcpyHtoD_v2`,
/// stays.
fn without_version(name: &str) -> &str {
    match name.rsplit_once("_v") {
        Some((function, version))
            if version.len() >= 4 && version.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            function
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_interface_go() {
        for (name, expected) in [
            ("cudaLaunchKernel_v7000", "cudaLaunchKernel"),
            ("cudaStreamGetCaptureInfo_v2_v11030", "cudaStreamGetCaptureInfo_v2"),
            ("cuMemcpyHtoD_v2", "cuMemcpyHtoD_v2"),
            ("my_value", "my_value"),
        ] {
            assert_eq!(without_version(name), expected);
        }
    }

    #[test]
    fn functions_of_the_driver_are_told_by_their_names() {
        for (name, expected) in [
            ("cuLaunchKernel", "cuda_driver"),
            ("cudaLaunchKernel_v7000", "cuda_runtime"),
            ("cu", "cuda_runtime"),
            ("", "cuda_runtime"),
        ] {
            let (mut names, mut strings) = (Names::default(), Strings::default());
            names.add(1, name);
            for _ in 0..2 {
                let (id, category) = names.function(Some(1), &mut strings).unwrap();
                assert_eq!((strings.get(id), category), (without_version(name), expected));
            }
        }
    }

    #[test]
    fn any_number_finds_its_text() {
        let (mut names, mut strings) = (Names::default(), Strings::default());
        for (number, text) in [(0, "a"), (7, "b"), (-1, "c"), (i64::MAX, "d")] {
            names.add(number, text);
        }
        for (number, text) in [(0, "a"), (7, "b"), (-1, "c"), (i64::MAX, "d")] {
            let id = names.get(Some(number), &mut strings).unwrap();
            assert_eq!((strings.get(id), names.text(Some(number))), (text, Some(text)));
        }
        assert_eq!(names.get(Some(5), &mut strings), None);
        assert_eq!(names.get(None, &mut strings), None);
    }
}
