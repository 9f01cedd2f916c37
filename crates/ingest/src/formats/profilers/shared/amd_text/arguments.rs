//! Arguments of HIP calls as roctracer prints them.
//!
//! `numBlocks={z=1, y=1, x=3906250}, stream=1` in the raw files, and in the JSON, where a script turned every `=` into an
//! opening and every comma into a closing bracket, `numBlocks({z(1) y(1) x(3906250}) stream(1)`.

use eaves_model::{Extent, MaybeI64, RuntimeArgument, SliceId, StringId, Strings};

use super::names;
use crate::json::number;

/// The arguments of a call that have a place in a trace, if there are any.
pub(in super::super::super) fn read(
    text: &str,
    slice: SliceId,
    strings: &mut Strings,
) -> Option<RuntimeArgument> {
    let by_axis = |prefix: &str| {
        let one = |axis: &str| u32::try_from(number_of(text, &format!("{prefix}{axis}"))?).ok();
        Some([one("X")?, one("Y")?, one("Z")?])
    };
    let block = extents(text, "dimBlocks").or(extents(text, "blockDim")).or_else(|| by_axis("blockDim"));
    let grid = extents(text, "numBlocks").or(extents(text, "gridDim")).or_else(|| by_axis("gridDim"));
    // The calls of modules with an event count work-items.
    let local = by_axis("localWorkSize");
    let global = by_axis("globalWorkSize")
        .zip(local)
        .map(|(items, group)| [0, 1, 2].map(|axis| items[axis].div_ceil(group[axis].max(1))));
    let first = |keys: &[&str]| keys.iter().find_map(|key| number_of(text, key));
    let kind = number_of(text, "kind").and_then(names::copy_of_kind);
    let argument = RuntimeArgument {
        slice,
        kernel: kernel(text).map_or(StringId::NONE, |name| strings.intern(name)),
        grid: Extent(grid.or(global).unwrap_or_default()),
        block: Extent(block.or(local).unwrap_or_default()),
        shared_memory: first(&["sharedMemBytes", "sharedMem"]).into(),
        bytes: first(&["sizeBytes", "size"]).into(),
        pointer: first(&["ptr"]).into(),
        source: first(&["src"]).into(),
        destination: first(&["dst"]).into(),
        kind: kind.map_or(StringId::NONE, |kind| strings.intern(kind)),
        stream: first(&["stream"]).into(),
    };
    let numbers =
        [argument.shared_memory, argument.bytes, argument.pointer, argument.source, argument.stream];
    let says_something =
        argument.grid.get().is_some() || numbers.iter().any(|value: &MaybeI64| value.is_some());
    says_something.then_some(argument)
}

/// What stands behind a key and its `=` or `(`.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.match_indices(key).find_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let is_whole = before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
        let rest = text.get(at + key.len()..)?;
        rest.strip_prefix(['=', '(']).filter(|_| is_whole)
    })
}

fn number_of(text: &str, key: &str) -> Option<i64> {
    leading_number(value(text, key)?)
}

fn leading_number(text: &str) -> Option<i64> {
    let end =
        text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(text.len());
    number::integer_of_text(text.get(..end)?.as_bytes())
}

/// `{z=1, y=1, x=3906250}` or `{z(1) y(1) x(3906250}`, as x, y, z.
fn extents(text: &str, key: &str) -> Option<[u32; 3]> {
    let inside = value(text, key)?.strip_prefix('{')?;
    let inside = inside.get(..inside.find('}')?)?;
    let axis = |name: &str| u32::try_from(leading_number(value(inside, name)?)?).ok();
    Some([axis("x")?, axis("y")?, axis("z")?])
}

/// The kernel name, which may contain brackets and commas.
fn kernel(text: &str) -> Option<&str> {
    let rest = value(text, "kernel")?;
    let end = [") function_address", ", function_address", ") numBlocks", ", numBlocks"];
    let end = end.iter().filter_map(|mark| rest.find(mark)).min()?;
    rest.get(..end).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_writings_say_the_same() {
        let texts = [
            "( kernel(vector_add(float*, int)) function_address(0x200a40) numBlocks({z(1) y(2) x(3906250}) \
             dimBlocks({z(1) y(1) x(256}) args(0x7ffeb4d1da58) sharedMemBytes(16) stream(1))",
            "kernel=vector_add(float*, int), function_address=0x200a40, numBlocks={z=1, y=2, x=3906250}, \
             dimBlocks={z=1, y=1, x=256}, args=0x7ffeb4d1da58, sharedMemBytes=16, stream=1",
        ];
        for text in texts {
            let mut strings = Strings::default();
            let argument = read(text, SliceId(0), &mut strings).unwrap();
            assert_eq!(argument.grid, Extent([3_906_250, 2, 1]));
            assert_eq!(argument.block, Extent([256, 1, 1]));
            assert_eq!((argument.shared_memory.get(), argument.stream.get()), (Some(16), Some(1)));
            assert_eq!(strings.get(argument.kernel), "vector_add(float*, int)");
        }
    }

    #[test]
    fn copies_and_modules_too() {
        let mut strings = Strings::default();
        let copy = "( dst(0x7fc6e6c00000) src(0x7fe1bfe94010) sizeBytes(4000000000) kind(1))";
        let argument = read(copy, SliceId(0), &mut strings).unwrap();
        assert_eq!(argument.bytes.get(), Some(4_000_000_000));
        assert_eq!(argument.source.get(), Some(0x7fe1_bfe9_4010));
        assert_eq!(strings.get(argument.kind), "Memcpy HtoD (Host -> Device)");
        let module = "f=0x1, globalWorkSizeX=1000, globalWorkSizeY=1, globalWorkSizeZ=1, localWorkSizeX=256, \
                      localWorkSizeY=1, localWorkSizeZ=1, sharedMemBytes=0";
        let argument = read(module, SliceId(0), &mut strings).unwrap();
        assert_eq!((argument.grid, argument.block), (Extent([4, 1, 1]), Extent([256, 1, 1])));
        assert!(read("( ))", SliceId(0), &mut strings).is_none());
        assert!(read("x{(=", SliceId(0), &mut strings).is_none());
    }
}
