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
      is: `Near the peak of its units (${by ?? "compute"}): there is little left to gain from the same arithmetic.`,
      causes: ["enough work for each byte, and units that are kept busy"],
      next: "It gets faster with less arithmetic, a narrower type or more units, not with better memory access.",
    },
    "Memory Bound": {
      is: `Near the bandwidth of ${by ?? "memory"}: it waits for bytes, and they come as fast as they can.`,
      causes: ["little arithmetic for each byte: elementwise work, copies, products with few rows"],
      next: "It gets faster by moving fewer bytes: fuse it with its neighbours, keep data in caches, store narrower types.",
    },
    "Compute Inefficient": {
      is: "Has enough arithmetic for each byte to be limited by the units, yet leaves them idle most of the time.",
      causes: ["dimensions too small to fill the device", "tiles that do not fit the shape", "too little work in flight", "the slower of two kinds of units, such as vector instead of matrix units"],
      next: "Pad or batch the shape, choose another tile or algorithm, and check which units it runs on.",
    },
    "Memory Inefficient": {
      is: "Has little arithmetic for each byte and still leaves memory idle most of the time.",
      causes: ["accesses that are not aligned or not contiguous", "large strides", "transfers too small to hide their latency", "too few of them in flight"],
      next: "Make accesses contiguous, move more with each of them, or fuse small ones.",
    },
    Normal: {
      is: "In between: not near its roof, not far below it.",
      causes: [],
      next: "Look at what it loses in milliseconds before anything else.",
    },
    Error: {
      is: "Cannot be judged: it has no time, or the device has no known peak for it.",
      causes: ["no time was recorded", "the type of its operands has no peak on this device"],
      next: "Give the device a peak for its type, or record it with its time.",
    },
  };
  return all[point.status];
}
