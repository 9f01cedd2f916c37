// The few numbers that say how a run is, from whichever analyses there are.

import { Card } from "../../kit/numbers";
import { type Document, section } from "../../source/document";

/** Section, number, and what it is called here. */
const HEADLINES = [
  ["steps", "median_ns", "Median step"],
  ["temporal-breakdown", "compute_pct", "Computing"],
  ["temporal-breakdown", "exposed_comm_pct", "Exposed communication"],
  ["temporal-breakdown", "idle_pct", "GPU idle"],
  ["comm-overlap", "overlap_pct", "Communication hidden"],
  ["roofline", "headroom_ns", "Roofline headroom, total"],
  ["memory", "peak_bytes", "Peak memory"],
  ["compile-time", "compile_time_ns", "Compile time"],
  ["graph-breaks", "graph_breaks", "Graph breaks"],
  ["recompiles", "recompiles", "Recompiles"],
] as const;

export function Headlines({ document }: { document: Document }) {
  const cards = HEADLINES.flatMap(([id, name, title]) => {
    const found = section(document, id);
    const numbers = found?.numbers.filter((one) => one.id === name) ?? [];
    return found && numbers.length ? [<Card key={id + name} section={found} numbers={numbers} title={title} />] : [];
  });
  return cards.length ? <dl class="cards headlines">{cards}</dl> : null;
}
