// What is said of a frame.

import { number, percent, thousands } from "../../format";
import { TipLines } from "../../kit/tooltip";
import type { FlameData } from "./data";
import type { Flame, Place } from "./flame";

/** An amount of a metric as people read it. */
function amount(data: FlameData, value: number, metric: number): string {
  return number(value, data.metrics[metric]?.unit ?? "count");
}

function change(now: number, before: number): string {
  if (!before) return now ? "new" : "-";
  if (!now) return "gone";
  const share = (100 * (now - before)) / before;
  return `${share > 0 ? "+" : ""}${percent(share)}`;
}

const share = (part: number, whole: number) => (whole > 0 ? percent((100 * part) / whole) : "-");

/** What the tooltip says of a frame. */
export function tip(flame: Flame, place: Place): preact.ComponentChildren {
  const { data } = flame;
  const { tree } = place.layout;
  const { frame } = place;
  const metric = flame.metric.peek();
  const total = tree.total[metric]!;
  const parent = Math.max(0, tree.parent[frame]!);
  const lines: [string, string][] = [];
  data.metrics.forEach((one, at) => {
    if (!flame.has(at)) return;
    const now = tree.total[at]![frame]!;
    const before = tree.base[at]?.[frame];
    if (before !== undefined) lines.push([one.title, `${amount(data, before, at)} before, ${amount(data, now, at)} now, ${change(now, before)}`]);
    else lines.push([one.title, amount(data, now, at)]);
  });
  if (!tree.inverted && !flame.isDifference) lines.push(["Of its own", amount(data, tree.own[metric]![frame]!, metric)]);
  lines.push(["Of all", share(total[frame]!, total[0]!)]);
  if (frame > 0) lines.push([tree.inverted ? "Of the callee" : "Of its caller", share(total[frame]!, total[parent]!)]);
  const focused = flame.focused.peek();
  if (focused?.layout === place.layout && focused.frame !== parent) lines.push(["Of what is shown", share(total[frame]!, total[focused.frame]!)]);
  const grouped = tree.grouped.get(frame);
  lines.push(["Kind", grouped ? `${thousands(grouped)} small frames` : (data.kinds[tree.kind[frame]!]?.label ?? "")]);
  return <TipLines title={flame.nameOf(place)} lines={lines} />;
}

/** What the status line and screen readers say of a frame. */
export function describe(flame: Flame, place: Place): string {
  const { tree } = place.layout;
  const metric = flame.metric.peek();
  const total = tree.total[metric]!;
  const now = total[place.frame]!;
  const before = tree.base[metric]?.[place.frame];
  const words = [flame.nameOf(place)];
  if (before !== undefined) words.push(`${amount(flame.data, before, metric)} before, ${amount(flame.data, now, metric)} now (${change(now, before)})`);
  else words.push(`${amount(flame.data, now, metric)}, ${share(now, total[0]!)} of all`);
  return words.join(" – ");
}
