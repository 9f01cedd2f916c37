// What the views of a run are of: the rank, the step or the time, and the names that are selected. The row is always there,
// so that nothing moves under the pointer when something is selected.

import { useMemo } from "preact/hooks";
import { duration } from "./format";
import { shorten } from "./kit/names";
import { Prose } from "./kit/panel";
import { type Document, rows } from "./source/document";
import { type Range, range, rank, select, selected, toggle } from "./state";
import { ranks } from "./commands";
import { here } from "./related";

const MOST_CHIPS = 5;

/** The time of each step: of the rank that is looked at, else from the first rank that begins it to the last that ends it. */
export function stepTimes(document: Document, only: number | null): Map<string, Range> {
  const found = new Map<string, Range>();
  for (const row of rows(document, "steps", "by_step")) {
    if ((only !== null && row.rank !== only) || typeof row.start_ns !== "number" || typeof row.duration_ns !== "number") continue;
    const [from, to] = [row.start_ns, row.start_ns + row.duration_ns];
    const before = found.get(String(row.step));
    found.set(String(row.step), before ? [Math.min(before[0], from), Math.max(before[1], to)] : [from, to]);
  }
  return found;
}

const isSame = (a: Range, b: Range | null) => b !== null && a[0] === b[0] && a[1] === b[1];

export function FilterRow({ document, note }: { document: Document; note?: string | undefined }) {
  const all = ranks(document);
  const steps = useMemo(() => stepTimes(document, rank.value), [document, rank.value]);
  const chosen = [...selected.value];
  const time = range.value;
  const told = [here.value, note].filter(Boolean).join(". ");
  const step = [...steps].find(([, span]) => isSame(span, time))?.[0] ?? "";
  return (
    <div class="filter-row">
      {all.length > 1 ? (
        <label>
          Rank
          <select aria-label="Rank" value={rank.value === null ? "" : String(rank.value)} onChange={(event) => (rank.value = event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}>
            <option value="">all</option>
            {all.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {steps.size > 1 ? (
        <label>
          Step
          <select aria-label="Step" value={step} onChange={(event) => (range.value = steps.get(event.currentTarget.value) ?? null)}>
            <option value="">{time && !step ? "part" : "all"}</option>
            {[...steps.keys()].map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {time ? (
        <span class="chip" title={`${time[0]} to ${time[1]} ns`}>
          {duration(time[0])} – {duration(time[1])}
          <button type="button" class="icon" aria-label="Show the whole time" onClick={() => (range.value = null)}>
            ×
          </button>
        </span>
      ) : null}
      {chosen.length ? (
        <div class="names" role="group" aria-label="Selected names">
          <span>Selected</span>
          <ul>
            {chosen.slice(0, MOST_CHIPS).map((name) => (
              <li class="chip" key={name} title={name}>
                {shorten(name, 40)}
                <button type="button" class="icon" aria-label={`Take ${name} out of the selection`} onClick={() => toggle(name)}>
                  ×
                </button>
              </li>
            ))}
          </ul>
          {chosen.length > MOST_CHIPS ? <span>and {chosen.length - MOST_CHIPS} more</span> : null}
        </div>
      ) : (
        <span class="quiet">{time || note ? null : "Click a name, a point or a slice to find it in every view."}</span>
      )}
      {chosen.length || time ? (
        <button
          type="button"
          class="link"
          onClick={() => {
            select([]);
            range.value = null;
          }}
        >
          Clear
        </button>
      ) : null}
      {told ? (
        <span class="quiet" role="status" title={told}>
          <Prose text={told} />
        </span>
      ) : null}
    </div>
  );
}
