// The messages and the links as the document has them, for the chart of communication.

import { type Document, type Row, rows } from "../../source/document";

/** `all_reduce (0)` in words: what stands in brackets is the group of ranks. */
export function inWords(name: string): string {
  return name.replace(/ \((.+)\)$/, ", group $1");
}

export interface Message {
  name: string;
  bytes: number;
  gbps: number;
  calls: number;
  time: number;
  /** What bytes over time was multiplied by to be bus bandwidth; null if the document does not say. */
  factor: number | null;
  /** Share of its time that nothing hides, in percent; null if the document does not say. */
  exposed: number | null;
  link: string | null;
  utilisation: number | null;
  flag: string | null;
}

export interface Link {
  name: string;
  wire: number;
  protocol: number | null;
  protocolName: string | null;
  source: string | null;
  confidence: string | null;
}

const text = (row: Row, id: string) => (typeof row[id] === "string" && row[id] !== "" ? String(row[id]) : null);
const amount = (row: Row, id: string) => (typeof row[id] === "number" ? Number(row[id]) : null);

/** The row of collectives that a message is of: the same kind (and group, in brackets) and size. */
function collective(all: readonly Row[], name: string, bytes: number): Row | undefined {
  const [, kind, group] = /^(.*?)(?: \((.*)\))?$/.exec(name) ?? [];
  return all.find((row) => row.kind === kind && row.bytes === bytes && (group === undefined || String(row.group) === group));
}

/** The messages: of the communication roofline, else those that were matched over ranks, else calls with what they waited. */
export function messages(document: Document): Message[] {
  const sums = rows(document, "collectives", "by_collective");
  const events = rows(document, "comm-roofline", "events");
  const matched = rows(document, "collectives", "skew");
  const source = events.length ? events : matched.length ? matched : sums;
  return source.flatMap((row): Message[] => {
    const name = text(row, "name") ?? (row.group === null ? String(row.kind) : `${row.kind} (${row.group})`);
    const bytes = amount(row, "bytes");
    const gbps = amount(row, "achieved_gbps") ?? amount(row, "bus_gbps");
    if (!bytes || !gbps || bytes <= 0 || gbps <= 0) return [];
    const same = collective(sums, name, bytes);
    return [
      {
        name,
        bytes,
        gbps,
        calls: amount(row, "calls") ?? amount(row, "collectives") ?? 0,
        time: amount(row, "time_ns") ?? amount(row, "total_ns") ?? (amount(row, "mean_transfer_ns") ?? 0) * (amount(row, "collectives") ?? 0),
        factor: amount(row, "bus_factor") ?? (same ? amount(same, "bus_factor") : null),
        exposed: same ? amount(same, "exposed_pct") : null,
        link: text(row, "matched_link") ?? text(row, "link"),
        utilisation: amount(row, "utilisation_pct"),
        flag: text(row, "flag"),
      },
    ];
  });
}

export function links(document: Document): Link[] {
  return rows(document, "comm-roofline", "links").flatMap((row): Link[] => {
    const wire = amount(row, "total_gbps");
    if (!wire || wire <= 0) return [];
    return [{ name: String(row.name), wire, protocol: amount(row, "protocol_gbps"), protocolName: text(row, "protocol"), source: text(row, "source"), confidence: text(row, "confidence") }];
  });
}

/** What messages of one name reached: below both lines lies every size of them. */
export interface Reached {
  name: string;
  factor: number;
  gbps: number;
  /** What starting one takes at most; null if every size comes near the bandwidth. */
  startup: number | null;
  /** The size at which both take the same time. */
  knee: number | null;
}

export function reached(document: Document): Reached[] {
  const own = rows(document, "comm-roofline", "reached");
  return (own.length ? own : rows(document, "collectives", "reached")).flatMap((row): Reached[] => {
    const [factor, gbps, startup, knee] = ["bus_factor", "bandwidth_gbps", "startup_ns", "knee_bytes"].map((id) => amount(row, id));
    return factor && gbps ? [{ name: String(row.name), factor, gbps, startup: startup ?? null, knee: knee ?? null }] : [];
  });
}

/** The factors that were used, in words: `all_reduce x 1.00`. */
export function factors(found: readonly Message[]): string[] {
  const known = new Map<string, number>();
  for (const one of found) if (one.factor !== null) known.set(one.name, one.factor);
  return [...known].map(([name, factor]) => `${inWords(name)} × ${factor.toFixed(2)}`);
}
