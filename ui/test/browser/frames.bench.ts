// How fast a million slices, and a million frames, are drawn without a graphics card: prints, asserts nothing about time.
// With SERVED=http://localhost:6970, what `eaves open` serves there is drawn, too.
//
// Each of 64 rows of the timeline is busy at every pixel, which is the worst there is to draw. The page is a file like an
// offline report.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { type MadeSlice, payload } from "../payload";

const SLICES = Number(process.env.SLICES ?? 1_000_000);
const ROWS = 64;
const FRAMES = 40;

/** A file of the page as `build.ts` made it. */
const built = (name: string) => readFileSync(join(process.env.EAVES_PAGE ?? "", name), "utf8");

function* row(seed: number, count: number): Generator<MadeSlice> {
  let state = seed * 2_654_435_761;
  let time = 0;
  for (let index = 0; index < count; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const duration = 400 + (state % 4000);
    yield { start: time, duration, name: state % 50 };
    time += duration + (state % 90);
  }
}

/** A page with some data, like an offline report. */
function page(parts: string): string {
  const document = { schema: "eaves.report/1", tool: { name: "eaves", version: "0" }, inputs: [], warnings: [], sections: [], skipped: [] };
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${built("app.css")}</style></head><body><div id="app"></div>
<script type="application/json" id="eaves-document">${JSON.stringify(document)}</script>${parts}
<script type="module">${built("app.js")}</script></body></html>`;
}

const packed = (name: string, bytes: Uint8Array) => `<script type="application/octet-stream" id="eaves-${name}" data-packed="gzip">${gzipSync(bytes).toString("base64")}</script>`;

function slices(): string {
  const names = Array.from({ length: 50 }, (_, at) => `kernel_${at}<float, ${at}>`);
  const rows = Array.from({ length: ROWS }, (_, at) => row(at + 1, Math.ceil(SLICES / ROWS)));
  const tracks = rows.map((one, at) => ({ group: "GPU 0", name: `stream ${at}`, stream: true, rows: [one] }));
  const length = Math.ceil(SLICES / ROWS) * 2450;
  return packed("timeline", payload(names, names.map((_, at) => [4, 5, 6][at % 3]!), tracks, [0, length]));
}

/** A tree of so many frames, 40 levels deep. */
function frames(): string {
  let state = 7;
  const next = (below: number) => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % below;
  const level = [0];
  while (level.length < SLICES) level.push(Math.min(40, 1 + next(level.at(-1)! + 1)));
  const own = level.map(() => 1 + next(900));
  const none = level.map(() => 0);
  const kinds = ["root", "annotation", "Python", "operator", "runtime call", "other", "kernel", "communication", "memory", "small"].map((label) => ({ label, light: "#9ed2f3", dark: "#68afd9", gpu: false }));
  const view = { id: "left-heavy", title: "Left heavy", time: false, inverted: false, notes: [], level, name: level.map(() => next(500)), kind: level.map(() => 1 + next(8)), grouped: [], start: [], own: [own, none, none, none], base: [[], [], [], []] };
  const metrics = ["cpu", "gpu", "calls", "bytes"].map((id) => ({ id, title: id, unit: "ns" }));
  const names = Array.from({ length: 500 }, (_, at) => `function_${at}`);
  return packed("flame", new TextEncoder().encode(JSON.stringify({ inputs: [], names, kinds, changes: [], metrics, metric: 0, views: [view] })));
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

interface Host {
  paints: { at: number; took: number }[];
  unpacked: number;
}

type Turns = readonly [string, { deltaX: number; deltaY: number; ctrlKey?: boolean }, boolean][];

/** Measures a view of a page that is a file with some data. */
async function measureFile(view: string, canvas: string, parts: string, turns: Turns): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "eaves-frames-"));
  try {
    const file = join(folder, "page.html");
    writeFileSync(file, page(parts));
    await measure(view, canvas, `file://${file}`, turns);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens a page and measures the picture of a view under the wheel. */
async function measure(view: string, canvas: string, address: string, turns: Turns): Promise<void> {
  // Frames as fast as they can be made, without waiting for a screen.
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-frame-rate-limit", "--disable-gpu-vsync"] });
  try {
    const tab = await browser.newPage({ viewport: { width: 1600, height: 1400 } });
    const problems: string[] = [];
    tab.on("pageerror", (error) => problems.push(error.message));
    await tab.addInitScript((wanted) => {
      const host = window as unknown as Host;
      host.paints = [];
      const ask = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (run) =>
        ask((now) => {
          const from = performance.now();
          run(now);
          // A canvas gets its size with its first picture.
          const drawn = (document.querySelector<HTMLCanvasElement>(wanted)?.width ?? 300) !== 300;
          if (drawn) host.paints.push({ at: performance.now(), took: performance.now() - from });
        });
      // What comes before is the browser's: the file, base64, gzip. What comes after is ours.
      const buffer = Response.prototype.arrayBuffer;
      Response.prototype.arrayBuffer = async function () {
        const bytes = await buffer.call(this);
        host.unpacked = performance.now();
        return bytes;
      };
    }, canvas);
    await tab.goto(`${address}#view=${view}`);
    await tab.waitForFunction(() => (window as unknown as Host).paints.some((paint) => paint.at > (window as unknown as Host).unpacked), undefined, { timeout: 120_000 });
    const first = await tab.evaluate(() => {
      const { paints, unpacked } = window as unknown as Host;
      const { at } = paints.find((paint) => paint.at > unpacked)!;
      return { whole: at, ours: at - unpacked };
    });
    await tab.waitForTimeout(1500);
    console.log(`${view}: first picture ${first.ours.toFixed(0)} ms after the bytes are there, ${first.whole.toFixed(0)} ms after the page was opened`);
    for (const [what, turn, returns] of turns) {
      const { intervals, scripts } = await tab.evaluate(
        async ([place, given, isBack, count]) => {
          const target = document.querySelector<HTMLCanvasElement>(place)!;
          const { left, top } = target.getBoundingClientRect();
          const { paints } = window as unknown as Host;
          const [intervals, scripts]: [number[], number[]] = [[], []];
          let before = performance.now();
          for (let frame = 0; frame < count; frame++) {
            const sign = isBack && frame % 2 ? -1 : 1;
            const options = { ...given, deltaX: sign * given.deltaX, deltaY: sign * given.deltaY, clientX: left + 800, clientY: top + 300, bubbles: true, cancelable: true };
            target.dispatchEvent(new WheelEvent("wheel", options));
            await new Promise((done) => requestAnimationFrame(done));
            intervals.push(performance.now() - before);
            before = performance.now();
            scripts.push(Math.max(...paints.slice(-2).map((paint) => paint.took)));
          }
          return { intervals, scripts };
        },
        [canvas, turn, returns, FRAMES] as const,
      );
      console.log(`  ${what.padEnd(24)} frame ${median(intervals).toFixed(1)} ms median, ${Math.max(...intervals).toFixed(1)} ms longest; script ${median(scripts).toFixed(1)} ms median`);
    }
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
}

const TIMELINE = ".timeline-scroll canvas";
const TURNS: Turns = [
  ["zoom, whole in sight", { deltaX: 0, deltaY: -12 }, true],
  ["zoom in", { deltaX: 0, deltaY: -40 }, false],
  ["move", { deltaX: 30, deltaY: 0 }, false],
  ["zoom out to the whole", { deltaX: 0, deltaY: 60 }, false],
];

test(`timeline: ${SLICES.toLocaleString("en")} slices on ${ROWS} rows`, () =>
  measureFile("timeline", TIMELINE, slices(), TURNS));
test.runIf(process.env.SERVED)("timeline: what is served", () => measure("timeline", TIMELINE, process.env.SERVED!, TURNS));

test(`flame graph: ${SLICES.toLocaleString("en")} frames`, () =>
  measureFile("flame", ".flame-scroll canvas", frames(), [
    ["zoom, whole in sight", { deltaX: 0, deltaY: -12, ctrlKey: true }, true],
    ["zoom in", { deltaX: 0, deltaY: -40, ctrlKey: true }, false],
    ["move", { deltaX: 30, deltaY: 0 }, false],
    ["zoom out to the whole", { deltaX: 0, deltaY: 60, ctrlKey: true }, false],
  ]));
