// What is said about a point, and how its numbers follow from each other.

import { bytes, duration, percent, thousands } from "../../format";
import { amountOf, type Data, type Point } from "./data";
import { ratio, withUnit } from "./text";

const NONE = "-";

function shown(value: number | null, format: (value: number) => string): string {
  return value === null ? NONE : format(value);
}

/** Name and value; what is not known is left out. */
export type Fact = readonly [name: string, value: string];

export function facts(point: Point, data: Data): Fact[] {
  const { counts } = data;
  const rate = (value: number | null): string => (value === null ? NONE : withUnit(value * 1e9, `${counts}/s`));
  const main = data.memory[0];
  // What is above its roof is no share of it, but wrong.
  const wrong = point.flag !== null;
  const share = main && point.bandwidth !== null && !wrong ? ` (${percent((100 * point.bandwidth) / main.rate)} of ${main.name})` : "";
  const all: Fact[] = [
    ["Shapes", point.shape ?? NONE],
    ["Status", point.status],
    ["Of its roof", wrong ? "above it" : shown(point.pct, percent)],
    ["Bound by", point.boundBy ?? NONE],
    ["Class", point.class ?? NONE],
    ["Time", point.time ? duration(point.time) : NONE],
    ["Headroom", wrong ? NONE : shown(point.headroom, duration)],
    ["Calls", shown(point.calls, thousands)],
    ["Intensity", point.intensity === null ? NONE : `${ratio(point.intensity)} ${counts}/B`],
    ["Without waste", point.ideal === null ? NONE : `${ratio(point.ideal)} ${counts}/B`],
    ["Knee", point.knee === null ? NONE : `${ratio(point.knee)} ${counts}/B`],
    ["Achieved", rate(point.achieved)],
    ["Roof", rate(point.roof)],
    ["Bandwidth", point.bandwidth === null ? NONE : withUnit(point.bandwidth * 1e9, "B/s") + share],
    [counts === "OP" ? "Operations a call" : "FLOPs a call", !point.flops ? NONE : withUnit(point.flops, counts === "OP" ? "OP" : "FLOP")],
    ["MACs a call", !point.macs ? NONE : withUnit(point.macs, "MAC")],
    ["Bytes a call", shown(point.bytes, bytes)],
    ["Data efficiency", shown(point.dataEfficiency, (value) => (value > 100 ? `${percent(value)}: fewer bytes than its operands` : percent(value)))],
    ["Category", point.kind || NONE],
    ["Type", point.dtype || NONE],
  ];
  for (const [cache, found] of Object.entries(point.caches)) {
    if (found.bytes !== null) all.push([`Bytes of ${cache.toUpperCase()}`, bytes(found.bytes)]);
    if (found.intensity !== null) all.push([`Intensity of ${cache.toUpperCase()}`, `${ratio(found.intensity)} ${counts}/B`]);
  }
  return all.filter(([, value]) => value !== NONE);
}

/** The facts for a glance. */
const GLANCE = new Set(["Shapes", "Status", "Of its roof", "Bound by", "Time", "Headroom", "Calls", "Intensity", "Achieved", "Roof", "Category", "Type"]);

export function glance(point: Point, data: Data): Fact[] {
  return facts(point, data).filter(([name]) => GLANCE.has(name));
}

/** How numbers follow from each other, with the numbers of the point. */
export function formulas(point: Point, data: Data): string[] {
  const { counts } = data;
  const lines: string[] = [];
  const roof = data.compute.find((one) => one.name === point.ceiling);
  const amount = withUnit(amountOf(point, roof?.counts), roof?.counts === "mac" ? "MAC" : counts === "OP" ? "OP" : "FLOP");
  if (point.intensity !== null && point.bytes !== null) {
    const moved = point.dataEfficiency === null ? "" : " that were moved";
    lines.push(`intensity = ${amount} / ${bytes(point.bytes)}${moved} = ${ratio(point.intensity)} ${counts}/B`);
  }
  if (point.achieved !== null && point.time !== null) {
    lines.push(`achieved = ${amount} × ${thousands(point.calls ?? 1)} calls / ${duration(point.time)} = ${withUnit(point.achieved * 1e9, `${counts}/s`)}`);
  }
  if (point.roof !== null) {
    lines.push(`roof = minimum of its type's peak and each bandwidth × intensity = ${withUnit(point.roof * 1e9, `${counts}/s`)}, by ${point.boundBy ?? "none"}`);
  }
  if (point.flag !== null && point.time !== null && point.headroom !== null) {
    lines.push(`best time = ${duration(point.time - point.headroom)}, more than the measured ${duration(point.time)}`);
  } else if (point.pct !== null && point.time !== null && point.headroom !== null) {
    lines.push(`of its roof = best time / time = ${duration(point.time - point.headroom)} / ${duration(point.time)} = ${percent(point.pct)}`);
    lines.push(`headroom = time − best time = ${duration(point.headroom)}`);
  }
  return lines;
}

/** Where the numbers of a point come from. */
export function provenance(point: Point, data: Data): Fact[] {
  const counted = Object.keys(point.caches).length > 0;
  const amounts = counted ? "hardware counters" : "operator formula with the recorded shapes, or from the input";
  const found: Fact[] = [
    ["Operations", amounts],
    ["Bytes", counted ? "hardware counters" : point.dataEfficiency !== null ? "measured; the required bytes are from the formula" : amounts],
    ["Time", "recorded"],
  ];
  const roof = data.compute.find((one) => one.name === point.ceiling);
  const main = data.memory[0];
  if (roof) found.push([`Peak ${roof.name}`, `${roof.source} (${roof.confidence})`]);
  if (main) found.push([`Bandwidth ${main.name}`, `${main.source} (${main.confidence})`]);
  return found;
}

/** A record as people read it: JSON with a line for each field, anything else as it is. */
export function record(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return text;
    return `{\n${Object.entries(parsed)
      .map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(",\n")}\n}`;
  } catch {
    return text;
  }
}
