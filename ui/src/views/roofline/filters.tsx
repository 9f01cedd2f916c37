// Which points and roofs are drawn, with how many there are of each.

import { percent, thousands } from "../../format";
import { type Choices, GROUPING_WORDS, GROUPINGS, keep, tally, toggleListed } from "./choices";
import { STATUSES } from "./classify";
import type { Data, RoofLine } from "./data";
import { Swatch } from "./detail";
import { isShown } from "./spec";
import { prefixed } from "./text";

function Box({ checked, change, label, count, title, status }: { checked: boolean; change(): void; label: string; count: string; title?: string; status?: string }) {
  return (
    <label class="check" title={title}>
      <input type="checkbox" checked={checked} onChange={change} />
      {status ? <Swatch status={status} /> : null}
      <span>{label}</span>
      <span class="count">{count}</span>
    </label>
  );
}

export function Filters({ data, chosen }: { data: Data; chosen: Choices }) {
  const total = data.time;
  return (
    <div class="stack">
      {GROUPINGS.map((grouping) => {
        const found = tally(data.points, grouping);
        if (grouping === "status") found.sort((a, b) => STATUSES.indexOf(a.name as never) - STATUSES.indexOf(b.name as never));
        const off = chosen.off[grouping];
        return (
          <fieldset key={grouping}>
            <legend>
              {GROUPING_WORDS[grouping]}
              {off.size ? (
                <button type="button" class="link" onClick={() => keep(`off.${grouping}`, null)}>
                  all
                </button>
              ) : null}
            </legend>
            {found.map(({ name, count, time }) => (
              <Box
                key={name}
                checked={!off.has(name)}
                change={() => toggleListed(`off.${grouping}`, name)}
                label={name}
                count={thousands(count)}
                title={total ? `${percent((100 * time) / total)} of the time` : ""}
                {...(grouping === "status" ? { status: name } : {})}
              />
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}

function RoofBoxes({ title, roofs, data, chosen, unit }: { title: string; roofs: readonly RoofLine[]; data: Data; chosen: Choices; unit: string }) {
  if (!roofs.length) return null;
  return (
    <fieldset>
      <legend>{title}</legend>
      {roofs.map((roof) => (
        <Box
          key={`${roof.name} ${roof.measured}`}
          checked={roof === data.memory[0] || isShown(roof, data, chosen)}
          change={() => (roof === data.memory[0] ? undefined : toggleListed("roofs", roof.name))}
          label={`${roof.name}${roof.measured ? " (measured)" : ""}`}
          count={`${prefixed(roof.rate * 1e9)}${unit}`}
          title={`${roof.source} (${roof.confidence})`}
        />
      ))}
    </fieldset>
  );
}

/** Roofs by type and units, and whether measured ones are drawn. */
export function Roofs({ data, chosen }: { data: Data; chosen: Choices }) {
  const compute = [...data.compute, ...data.beside.filter((roof) => roof.kind === "compute")];
  const memory = [...data.memory, ...data.beside.filter((roof) => roof.kind === "memory")];
  const units = [...new Set(compute.map((roof) => roof.unit))];
  const types = [...new Set(compute.map((roof) => roof.type))];
  const measured = [...compute, ...memory].filter((roof) => roof.measured).length;
  const toggleAll = (of: (roof: RoofLine) => boolean) => {
    const roofs = compute.filter(of);
    const anyHidden = roofs.some((roof) => !isShown(roof, data, chosen));
    for (const roof of roofs) if (isShown(roof, data, chosen) !== anyHidden) toggleListed("roofs", roof.name);
  };
  const pressed = (of: (roof: RoofLine) => boolean) => compute.filter(of).every((roof) => isShown(roof, data, chosen));
  return (
    <div class="stack">
      {types.length > 1 ? (
        <div class="chips" role="group" aria-label="Roofs by type">
          <span class="quiet">By type</span>
          {types.map((type) => (
            <button type="button" class="chip-button" key={type} aria-pressed={pressed((roof) => roof.type === type)} onClick={() => toggleAll((roof) => roof.type === type)}>
              {type}
            </button>
          ))}
        </div>
      ) : null}
      {units.length > 1 ? (
        <div class="chips" role="group" aria-label="Roofs by unit">
          <span class="quiet">By unit</span>
          {units.map((unit) => (
            <button type="button" class="chip-button" key={unit} aria-pressed={pressed((roof) => roof.unit === unit)} onClick={() => toggleAll((roof) => roof.unit === unit)}>
              {unit || "any"}
            </button>
          ))}
        </div>
      ) : null}
      <RoofBoxes title="Compute" roofs={compute} data={data} chosen={chosen} unit={`${data.counts}/s`} />
      <RoofBoxes title="Memory" roofs={memory} data={data} chosen={chosen} unit="B/s" />
      {measured ? (
        <label class="check">
          <input type="checkbox" checked={chosen.measured} onChange={() => keep("measured", chosen.measured ? "no" : null)} />
          <span>Measured roofs next to theoretical ones</span>
          <span class="count">{measured}</span>
        </label>
      ) : (
        <p class="quiet small">
          No roof here was measured. <code>eaves device measure -o roofs.yaml</code> measures this machine; hold the input against it with <code>--device roofs.yaml</code>.
        </p>
      )}
      {data.points.some((point) => point.ideal !== null) ? (
        <label class="check">
          <input type="checkbox" checked={chosen.gaps} onChange={() => keep("gaps", chosen.gaps ? "no" : null)} />
          <span>Arrows to the intensity without redundant bytes</span>
        </label>
      ) : null}
    </div>
  );
}
