// What shapes, colours and fillings mean, and what is not in the chart.

import { counted, thousands } from "../../format";
import { type Choices, groupOf, tally } from "./choices";
import { STATUSES } from "./classify";
import { type Data, placeOf } from "./data";
import { fillOf, shape, SYMBOL_WORDS } from "./marks";
import { colours } from "./spec";

export function Legend({ data, chosen, base }: { data: Data; chosen: Choices; base?: string | undefined }) {
  const colour = colours(data.points, chosen);
  const symbols = Object.keys(SYMBOL_WORDS).filter((symbol) => data.points.some((point) => point.symbol === symbol));
  const groups = tally(data.points, chosen.colour);
  if (chosen.colour === "status") groups.sort((a, b) => STATUSES.indexOf(a.name as never) - STATUSES.indexOf(b.name as never));
  const nowhere = data.points.filter((point) => placeOf(point, chosen.level) === null).length;
  const words = [
    data.time ? "area: share of the time" : "",
    data.points.some((point) => point.flag) ? "ring: above its roof" : "",
    data.points.some((point) => point.ideal !== null) && chosen.gaps ? "arrow: to the intensity without redundant bytes" : "",
    base ? `dashed arrow: from its place in ${base}, labeled with the change in time per call` : "",
    data.points.some((point) => point.time === null) ? "dotted: no time, drawn at its roof" : "",
    nowhere ? `${thousands(nowhere)} outside these axes` : "",
    data.unmodelled.length ? `${counted(data.unmodelled.length, "row")} without a formula, not drawn` : "",
  ].filter(Boolean);
  return (
    <div class="legend">
      {groups.slice(0, 8).map(({ name }) => {
        const one = data.points.find((point) => groupOf(point, chosen.colour) === name);
        return (
          <span key={name}>
            <i class={`swatch ${chosen.colour === "status" ? fillOf(name) : "full"}`} style={{ "--mark": `var(--${one ? colour(one) : "c8"})` }} /> {name}
          </span>
        );
      })}
      {symbols.map((symbol) => (
        <span key={symbol}>
          <svg width="12" height="12" viewBox="-7 -7 14 14" aria-hidden="true">
            <path d={shape(symbol, 4.6)} fill="none" stroke="currentColor" stroke-width="1.3" />
          </svg>
          {SYMBOL_WORDS[symbol]}
        </span>
      ))}
      {words.map((word) => (
        <span key={word}>{word}</span>
      ))}
    </div>
  );
}
