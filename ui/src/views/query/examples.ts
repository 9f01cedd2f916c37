// Questions to begin with. One is offered where the server has the columns it needs.

import type { Known } from "./answer";

interface Example {
  title: string;
  /** `table.column` of everything that it reads. */
  needs: string;
  sql: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: "Kernels by time",
    needs: "kernels.short_name kernels.duration_ns",
    sql: `SELECT short_name AS name, count(*) AS calls,
  sum(duration_ns) AS total_ns, median(duration_ns) AS median_ns
FROM kernels
GROUP BY short_name ORDER BY total_ns DESC`,
  },
  {
    title: "Busy and idle time of streams",
    needs: "kernels.rank kernels.device kernels.stream kernels.start_ns kernels.end_ns",
    sql: `SELECT rank, device, stream, interval_union(start_ns, end_ns) AS busy_ns,
  interval_idle(start_ns, end_ns) AS idle_ns
FROM kernels
GROUP BY rank, device, stream ORDER BY rank, device, stream`,
  },
  {
    title: "Exposed communication by step",
    needs: "kernels.rank kernels.step kernels.type kernels.start_ns kernels.end_ns",
    sql: `SELECT rank, step,
  interval_difference(start_ns, end_ns, type = 'communication', type = 'compute') AS exposed_ns
FROM kernels
GROUP BY rank, step ORDER BY exposed_ns DESC`,
  },
  {
    title: "Longest launch delays",
    needs: "launches.rank launches.op launches.delay_ns launches.first_kernel",
    sql: `SELECT rank, delay_ns, op, first_kernel AS kernel
FROM launches
ORDER BY delay_ns DESC LIMIT 100`,
  },
  {
    title: "Operators by exclusive GPU time",
    needs: "ops.name ops.self_gpu_ns ops.self_ns",
    sql: `SELECT name, count(*) AS calls, sum(self_gpu_ns) AS self_gpu_ns, sum(self_ns) AS self_ns
FROM ops
GROUP BY name ORDER BY self_gpu_ns DESC`,
  },
  {
    title: "Steps of all ranks",
    needs: "steps.rank steps.step steps.duration_ns",
    sql: `SELECT step, min(duration_ns) AS fastest_ns, max(duration_ns) AS slowest_ns
FROM steps
GROUP BY step ORDER BY step`,
  },
  {
    title: "Peak memory in use",
    needs: "memory.rank memory.device memory.in_use_bytes memory.reserved_bytes",
    sql: `SELECT rank, device, max(in_use_bytes) AS in_use_bytes, max(reserved_bytes) AS reserved_bytes
FROM memory
GROUP BY rank, device ORDER BY rank, device`,
  },
];

/** The examples that can be asked, and after them every table as it is. */
export function examples(known: Known): { title: string; sql: string }[] {
  const columns = new Set(known.tables.flatMap((table) => table.columns.map((column) => `${table.name}.${column.name}`)));
  return [
    ...EXAMPLES.filter((one) => one.needs.split(" ").every((column) => columns.has(column))),
    ...known.tables.map((table) => ({ title: `Rows of ${table.name}`, sql: `SELECT * FROM ${table.name} LIMIT 100` })),
  ];
}
