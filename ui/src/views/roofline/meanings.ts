// What a status means in plain words, and what usually causes it.

import type { Status } from "./classify";
import type { Point } from "./data";

export interface Meaning {
  /** What it is. */
  is: string;
  causes: readonly string[];
  /** What to do. */
  next: string;
}

export function meaning(point: Pick<Point, "status" | "boundBy">): Meaning {
  const by = point.boundBy;
  const all: Record<Status, Meaning> = {
    "Compute Bound": {
      is: `Near the peak of its units (${by ?? "compute"}): the same arithmetic has little left to gain.`,
      causes: ["high arithmetic intensity, and busy units"],
      next: "Use less arithmetic, a narrower type or more units; better memory access does not help.",
    },
    "Memory Bound": {
      is: `Near the bandwidth of ${by ?? "memory"}: it waits for bytes that arrive at full speed.`,
      causes: ["low arithmetic intensity: elementwise work, copies, products with few rows"],
      next: "Move fewer bytes: fuse it with its neighbors, keep data in caches, store narrower types.",
    },
    "Compute Inefficient": {
      is: "Its intensity is high enough to be compute-bound, yet the units are idle most of the time.",
      causes: ["dimensions too small to fill the device", "tiles that do not fit the shape", "too little work in flight", "the slower of two kinds of units, such as vector instead of matrix units"],
      next: "Pad or batch the shape, choose another tile or algorithm, and check which units it runs on.",
    },
    "Memory Inefficient": {
      is: "Its intensity is low, yet memory is idle most of the time.",
      causes: ["unaligned or non-contiguous accesses", "large strides", "transfers too small to hide their latency", "too few of them in flight"],
      next: "Make accesses contiguous, use wider ones, or fuse small kernels.",
    },
    Normal: {
      is: "In between: neither near its roof nor far below it.",
      causes: [],
      next: "Check its headroom in milliseconds first.",
    },
    Error: {
      is: "Cannot be judged: no time, or no known peak on this device.",
      causes: ["no time was recorded", "no peak for its operand type on this device"],
      next: "Add a peak for its type, or record its time.",
    },
  };
  return all[point.status];
}
