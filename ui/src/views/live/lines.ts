// Samples of a machine as lines over time: `crates/serve/src/live/mod.rs` takes them.

export interface Gpu {
  name: string;
  utilisation_pct: number | null;
  memory_used_bytes: number | null;
  memory_total_bytes: number | null;
  power_w: number | null;
  power_limit_w: number | null;
  temperature_c: number | null;
  clock_mhz: number | null;
  memory_clock_mhz: number | null;
}

export interface Sample {
  time_ms: number;
  cpu: { total_pct: number; cores_pct: number[] } | null;
  memory: { total_bytes: number; available_bytes: number } | null;
  load: [number, number, number] | null;
  gpus: Gpu[];
}

/** One quantity of one thing. */
export interface Line {
  /** Whose it is: the host or a GPU. */
  readonly group: string;
  readonly title: string;
  readonly unit: "%" | "bytes" | "W" | "°C" | "MHz" | "";
  /** One for each sample; null where it was not told. */
  readonly values: readonly (number | null)[];
  /** What it can be at most; null if nobody says. */
  readonly most: number | null;
}

const used = ({ memory }: Sample) => (memory ? memory.total_bytes - memory.available_bytes : null);

/** The lines that have a value; a GPU is known by its place, because names repeat. */
export function lines(samples: readonly Sample[]): Line[] {
  const last = samples.at(-1);
  if (!last) return [];
  const line = (group: string, title: string, unit: Line["unit"], value: (sample: Sample) => number | null | undefined, most: number | null | undefined): Line => ({
    group,
    title,
    unit,
    values: samples.map((sample) => value(sample) ?? null),
    most: most ?? null,
  });
  const found = [
    line("Host", "CPU", "%", (sample) => sample.cpu?.total_pct, 100),
    line("Host", "Memory in use", "bytes", used, last.memory?.total_bytes),
    line("Host", "Load, 1 minute", "", (sample) => sample.load?.[0], null),
  ];
  last.gpus.forEach((gpu, at) => {
    const group = last.gpus.length > 1 ? `GPU ${at}: ${gpu.name}` : gpu.name;
    const of = (key: Exclude<keyof Gpu, "name">) => (sample: Sample) => sample.gpus[at]?.[key];
    found.push(
      line(group, "Utilisation", "%", of("utilisation_pct"), 100),
      line(group, "Memory in use", "bytes", of("memory_used_bytes"), gpu.memory_total_bytes),
      line(group, "Power", "W", of("power_w"), gpu.power_limit_w),
      line(group, "Temperature", "°C", of("temperature_c"), null),
      line(group, "Clock", "MHz", of("clock_mhz"), null),
      line(group, "Memory clock", "MHz", of("memory_clock_mhz"), null),
    );
  });
  return found.filter(({ values }) => values.some((value) => value !== null));
}

/** The top of a line's scale: what it can be, else a little above the most there was. */
export function ceiling({ values, most }: Line): number {
  const seen = Math.max(0, ...values.map((value) => value ?? 0));
  return Math.max(most ?? seen * 1.1, seen) || 1;
}

/** The values as a path in a box; where nothing was told there is a gap. The newest is at the right, `room` samples wide. */
export function path(line: Line, room: number, width: number, height: number): string {
  const top = ceiling(line);
  const step = width / Math.max(1, room - 1);
  const first = width - step * (line.values.length - 1);
  let isOpen = false;
  return line.values
    .map((value, at) => {
      if (value === null) {
        isOpen = false;
        return "";
      }
      const word = isOpen ? "L" : "M";
      isOpen = true;
      return `${word}${(first + at * step).toFixed(1)} ${(height - (height * value) / top).toFixed(1)}`;
    })
    .join("");
}

/** The same as a surface down to zero: each piece between gaps is closed. */
export function area(line: Line, room: number, width: number, height: number): string {
  return path(line, room, width, height)
    .split("M")
    .filter((piece) => piece.includes("L"))
    .map((piece) => {
      const first = piece.split(" ")[0];
      const last = piece.split("L").at(-1)?.split(" ")[0];
      return `M${piece}L${last} ${height}L${first} ${height}Z`;
    })
    .join("");
}
