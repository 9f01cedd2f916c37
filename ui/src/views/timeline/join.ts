// Two runs as one recording: ranks of the one that is compared with stand below those of the other, and keep their own times.

import type { Data, Rank, Row, Track } from "./data";

/** Rank 0 of the run that is compared with; below half of it are ranks of the other. Numbers around it are exact. */
const BASE = 2 ** 50;

export function isBase(rank: number): boolean {
  // A rank is what the recording says, which may be negative.
  return rank >= BASE / 2;
}

/** The number of a rank of the base among all ranks. */
export function ofBase(rank: number): number {
  return BASE + rank;
}

/** The number that a rank has in its own run. */
export function ownNumber(rank: number): number {
  return isBase(rank) ? rank - BASE : rank;
}

export function rankName(rank: number): string {
  return `${isBase(rank) ? "base " : ""}rank ${ownNumber(rank)}`;
}

type Numbers = Float64Array | Uint32Array | Int32Array;

function append<Column extends Numbers>(first: Column, second: Column, moved: (value: number) => number = (value) => value): Column {
  const both = new (first.constructor as new (length: number) => Column)(first.length + second.length);
  both.set(first);
  for (let at = 0; at < second.length; at++) both[first.length + at] = moved(second[at]!);
  return both;
}

export function join(own: Data, base: Data): Data {
  const [names, details] = [own.head.names.length, own.head.details.length];
  const rows: Row[] = [...own.rows];
  const below = base.ranks.map((found): Rank => {
    const rank = ofBase(found.rank);
    const tracks = found.tracks.map((one) => {
      const track: Track = { ...one, rank, key: `base ${one.key}`, rows: [] };
      for (const row of one.rows) {
        const moved = { ...row, index: rows.length, key: `base ${row.key}`, track, from: row.from + own.total, to: row.to + own.total };
        track.rows.push(moved);
        rows.push(moved);
      }
      return track;
    });
    return { ...found, rank, tracks };
  });
  // The same rank of both runs is what people compare.
  const pairs = own.ranks.flatMap((rank) => [rank, ...below.filter((other) => ownNumber(other.rank) === rank.rank)]);
  return {
    head: {
      ...own.head,
      width: Math.max(own.head.width ?? 0, base.head.width ?? 0),
      notes: [...own.head.notes, ...base.head.notes.map((note) => `base: ${note}`)],
      names: [...own.head.names, ...base.head.names],
      short: [...own.head.short, ...base.head.short],
      class: [...own.head.class, ...base.head.class],
      details: [...own.head.details, ...base.head.details],
    },
    ranks: [...pairs, ...below.filter((rank) => !pairs.includes(rank))],
    rows,
    total: own.total + base.total,
    start: append(own.start, base.start),
    end: append(own.end, base.end),
    name: append(own.name, base.name, (name) => name + names),
    detail: append(own.detail, base.detail, (detail) => detail && detail + details),
    count: append(own.count, base.count),
    busy: append(own.busy, base.busy),
    launch: append(own.launch, base.launch, (call) => (call < 0 ? call : call + own.total)),
    namesOfBase: names,
  };
}
