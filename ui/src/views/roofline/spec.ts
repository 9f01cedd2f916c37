// The chart of a roofline from its data and what one has chosen.

import type { Choices, Palette } from "./choices";
import { groupOf, tally } from "./choices";
import { type Data, cacheOf, type Point, placeOf, type RoofLine } from "./data";
import { fillOf, radiusOf } from "./marks";
import type { Plateau, Slope, Spec, Spot, StepPlace, Was } from "./scene";
import { prefixed, ratio, withUnit } from "./text";

/** The token of a status. */
export function statusColour(status: string, palette: Palette): string {
  const name = status.toLowerCase().replace(" ", "-");
  return palette === "classic" && name !== "error" ? `classic-${name}` : `status-${name}`;
}

/** Tokens of series; what comes after them is grey. */
const SERIES = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/** The colour of each point's group. */
export function colours(points: readonly Point[], { colour: grouping, palette }: Pick<Choices, "colour" | "palette">): (point: Point) => string {
  if (grouping === "status") return (point) => statusColour(point.status, palette);
  const names = tally(points, grouping).map(({ name }) => name);
  return (point) => SERIES[names.indexOf(groupOf(point, grouping))] ?? "c8";
}

/** True if a roof is drawn: those that points have, unless it was chosen otherwise. */
export function isShown(roof: RoofLine, data: Data, chosen: Choices): boolean {
  if (roof.measured && !chosen.measured) return false;
  const usual = roof.kind === "memory" || data.used.has(roof.name) || (data.beside.includes(roof) && [...data.used].some((name) => name === roof.name));
  return usual !== chosen.flipped.has(roof.name);
}

/** Roofs of one rate are one line. */
function plateaus(roofs: readonly RoofLine[], counts: string): Plateau[] {
  const byRate = new Map<string, { rate: number; measured: boolean; unverified: boolean; names: string[] }>();
  for (const roof of roofs) {
    const key = `${roof.rate} ${roof.measured}`;
    const known = byRate.get(key);
    if (known) {
      known.names.push(roof.name);
      known.unverified &&= roof.unverified;
    } else byRate.set(key, { rate: roof.rate, measured: roof.measured, unverified: roof.unverified, names: [roof.name] });
  }
  return [...byRate.values()].map(({ names, ...roof }) => ({
    ...roof,
    name: `${joined(names)} ${withUnit(roof.rate * 1e9, `${counts}/s`)}${verdict(roof)}`,
  }));
}

/** How sure a roof is, where that is worth a word. */
function verdict(roof: { measured: boolean; unverified: boolean }): string {
  return roof.measured ? ", measured" : roof.unverified ? ", unverified" : "";
}

/** `fp16 matrix` and `bf16 matrix` are `fp16 / bf16 matrix`. */
function joined(names: readonly string[]): string {
  const ends = new Set(names.map((name) => name.split(" ").slice(1).join(" ")));
  if (names.length < 2 || ends.size > 1) return names.join(" / ");
  return `${names.map((name) => name.split(" ")[0]).join(" / ")} ${[...ends][0]}`.trim();
}

function slopes(data: Data, chosen: Choices): Slope[] {
  const memory = [...data.memory, ...data.beside.filter((roof) => roof.kind === "memory")];
  return memory
    .filter((roof, index) => index === 0 || isShown(roof, data, chosen))
    .map((roof) => ({
      rate: roof.rate,
      main: roof === data.memory[0],
      measured: roof.measured,
      unverified: roof.unverified,
      name: `${roof.name} ${withUnit(roof.rate * 1e9, "B/s")}${verdict(roof)}`,
    }));
}

/** The level of the horizontal axis as the device calls it. */
export function levelName(data: Data, level: Choices["level"]): string {
  if (level === "main") return data.memory[0]?.name ?? "main memory";
  return data.memory.slice(1).find((roof) => cacheOf(roof.name) === level)?.name ?? level.toUpperCase();
}

export function specOf(data: Data, chosen: Choices, shown: ReadonlySet<number>, selected: ReadonlySet<string>, before?: readonly (Was | null)[], steps?: readonly (readonly StepPlace[])[]): Spec {
  const colour = colours(data.points, chosen);
  const some = selected.size > 0 && data.points.some((point) => selected.has(point.name));
  const spots = data.points.map((point): Spot => {
    const place = placeOf(point, chosen.level);
    const isDrawn = place !== null && shown.has(point.index);
    return {
      x: place?.at === "chart" ? place.x : null,
      y: place?.y ?? 0,
      strip: place && place.at !== "chart" ? place.at : undefined,
      radius: radiusOf(data.time ? Math.max(0, point.time ?? 0) / data.time : 0, data.points.length),
      symbol: point.symbol,
      fill: place?.at === "chart" && place.guess ? "open" : fillOf(point.status),
      colour: colour(point),
      name: point.shape ? `${point.name} ${point.shape}` : point.name,
      weight: (point.time ?? 0) + Math.max(0, point.headroom ?? 0),
      ring: point.flag !== null,
      ideal: chosen.level === "main" ? point.ideal : null,
      dim: some && !selected.has(point.name),
      hidden: !isDrawn,
    };
  });
  const compute = [...data.compute, ...data.beside.filter((roof) => roof.kind === "compute")];
  const memory = chosen.level === "main" ? "" : ` of ${levelName(data, chosen.level)}`;
  return {
    label: "Roofline. Arrow keys go from point to point, plus and minus zoom, u undoes, 0 shows all.",
    xName: `Intensity${memory} (${data.counts}/B)`,
    yName: `Performance (${data.counts}/s)`,
    knee: `${data.counts}/B`,
    xText: ratio,
    yText: (value) => prefixed(value * 1e9),
    spots,
    slopes: slopes(data, chosen),
    plateaus: plateaus(compute.filter((roof) => isShown(roof, data, chosen)), data.counts),
    gaps: chosen.gaps,
    before,
    steps,
  };
}
