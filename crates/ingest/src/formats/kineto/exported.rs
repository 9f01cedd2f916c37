//! What eaves adds to the arguments of a kernel when it exports what Kineto has no names for: the dispatch, hardware
//! counters, remarks of the profiler.

use eaves_model::{
    Dispatch, Extent, MaybeF64, MaybeI64, MaybeU32, RangeCounter, Remark, SliceId, StringId, Strings, Trace,
};
use serde_json::Value;

/// Takes in the JSON of the argument `eaves details`; nothing if it is not as it was written.
#[cold]
pub(super) fn take(trace: &mut Trace, slice: SliceId, text: StringId) -> Option<()> {
    let exported: Value = serde_json::from_str(trace.strings.get(text)).ok()?;
    if let Some(dispatch) = exported.get("dispatch") {
        trace.dispatches.push(of_dispatch(slice, dispatch)?);
    }
    for (name, value) in exported.get("counters").and_then(Value::as_object).into_iter().flatten() {
        let metric = trace.strings.intern(name);
        trace.range_counters.push(RangeCounter { slice, metric, value: value.as_f64().into() });
    }
    for remark in exported.get("remarks").and_then(Value::as_array).into_iter().flatten() {
        let remark = of_remark(slice, remark, &mut trace.strings)?;
        trace.remarks.push(remark);
    }
    Some(())
}

fn of_dispatch(slice: SliceId, value: &Value) -> Option<Dispatch> {
    let [number, queue, x, y, z, total, vector, accumulation, scalar, scratch, wave] =
        value.as_array()?.as_slice()
    else {
        return None;
    };
    let wide = |value: &Value| MaybeI64::from(value.as_i64());
    let narrow = |value: &Value| value.as_u64().and_then(|value| u32::try_from(value).ok());
    let small = |value: &Value| MaybeU32::from(narrow(value));
    Some(Dispatch {
        slice,
        number: wide(number),
        queue: wide(queue),
        work_items: Extent([narrow(x)?, narrow(y)?, narrow(z)?]),
        total_work_items: wide(total),
        vector_registers: small(vector),
        accumulation_registers: small(accumulation),
        scalar_registers: small(scalar),
        scratch: wide(scratch),
        wave_size: small(wave),
    })
}

fn of_remark(slice: SliceId, value: &Value, strings: &mut Strings) -> Option<Remark> {
    let [rule, kind, text, speedup, speedup_of] = value.as_array()?.as_slice() else { return None };
    let mut interned = |value: &Value| value.as_str().map_or(StringId::NONE, |text| strings.intern(text));
    Some(Remark {
        slice,
        rule: interned(rule),
        kind: interned(kind),
        text: interned(text),
        speedup_pct: MaybeF64::from(speedup.as_f64()),
        speedup_of: interned(speedup_of),
    })
}
