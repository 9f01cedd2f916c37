// How fast a timeline of a million slices is without a graphics card: prints, asserts nothing about time.
//
// Each of 64 rows is busy at every pixel, which is the worst there is to draw. The page is a file like an offline report.

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

function page(): string {
  const names = Array.from({ length: 50 }, (_, at) => `kernel_${at}<float, ${at}>`);
  const rows = Array.from({ length: ROWS }, (_, at) => row(at + 1, Math.ceil(SLICES / ROWS)));
  const tracks = rows.map((one, at) => ({ group: "GPU 0", name: `stream ${at}`, stream: true, rows: [one] }));
  const length = Math.ceil(SLICES / ROWS) * 2450;
  const bytes = gzipSync(payload(names, names.map((_, at) => [4, 5, 6][at % 3]!), tracks, [0, length]));
  const document = { schema: "eaves.report/1", tool: { name: "eaves", version: "0" }, inputs: [], warnings: [], sections: [], skipped: [] };
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${built("app.css")}</style></head><body><div id="app"></div>
<script type="application/json" id="eaves-document">${JSON.stringify(document)}</script>
<script type="application/octet-stream" id="eaves-timeline" data-packed="gzip">${bytes.toString("base64")}</script>
<script type="module">${built("app.js")}</script></body></html>`;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

test(`${SLICES.toLocaleString("en")} slices on ${ROWS} rows`, { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "eaves-frames-"));
  const file = join(folder, "page.html");
  writeFileSync(file, page());
  // Frames as fast as they can be made, without waiting for a screen.
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-frame-rate-limit", "--disable-gpu-vsync"] });
  try {
    const tab = await browser.newPage({ viewport: { width: 1600, height: 1400 } });
    const problems: string[] = [];
    tab.on("pageerror", (error) => problems.push(error.message));
    await tab.addInitScript(() => {
      const host = window as unknown as { paints: { at: number; took: number }[]; unpacked: number };
      host.paints = [];
      const ask = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (run) =>
        ask((now) => {
          const from = performance.now();
          run(now);
          // A canvas gets its size with its first picture.
          const drawn = (document.querySelector<HTMLCanvasElement>(".timeline-scroll canvas")?.width ?? 300) !== 300;
          if (drawn) host.paints.push({ at: performance.now(), took: performance.now() - from });
        });
      // What comes before is the browser's: the file, base64, gzip. What comes after is ours.
      const buffer = Response.prototype.arrayBuffer;
      Response.prototype.arrayBuffer = async function () {
        const bytes = await buffer.call(this);
        host.unpacked = performance.now();
        return bytes;
      };
    });
    await tab.goto(`file://${file}#view=timeline`);
    await tab.waitForFunction(() => {
      const { paints, unpacked } = window as unknown as { paints: { at: number }[]; unpacked: number };
      return paints.some((paint) => paint.at > unpacked);
    });
    const first = await tab.evaluate(() => {
      const { paints, unpacked } = window as unknown as { paints: { at: number }[]; unpacked: number };
      const { at } = paints.find((paint) => paint.at > unpacked)!;
      return { whole: at, ours: at - unpacked };
    });
    await tab.waitForTimeout(1500);
    const run = (turn: { deltaX: number; deltaY: number }, back: boolean) =>
      tab.evaluate(
        async ([given, returns, frames]) => {
          const canvas = document.querySelector<HTMLCanvasElement>(".timeline-scroll canvas")!;
          const { left, top } = canvas.getBoundingClientRect();
          const { paints } = window as unknown as { paints: { took: number }[] };
          const [intervals, scripts]: [number[], number[]] = [[], []];
          let before = performance.now();
          for (let frame = 0; frame < frames; frame++) {
            const sign = returns && frame % 2 ? -1 : 1;
            const options = { deltaX: sign * given.deltaX, deltaY: sign * given.deltaY, clientX: left + 800, clientY: top + 300, bubbles: true, cancelable: true };
            canvas.dispatchEvent(new WheelEvent("wheel", options));
            await new Promise((done) => requestAnimationFrame(done));
            intervals.push(performance.now() - before);
            before = performance.now();
            scripts.push(Math.max(...paints.slice(-2).map((paint) => paint.took)));
          }
          return { intervals, scripts };
        },
        [turn, back, FRAMES] as const,
      );
    const line = (what: string, { intervals, scripts }: { intervals: number[]; scripts: number[] }) =>
      console.log(`${what.padEnd(26)} frame ${median(intervals).toFixed(1)} ms median, ${Math.max(...intervals).toFixed(1)} ms longest; script ${median(scripts).toFixed(1)} ms median`);
    console.log(`first picture              ${first.ours.toFixed(0)} ms after the bytes are there, ${first.whole.toFixed(0)} ms after the file was opened`);
    line("zoom, whole in sight", await run({ deltaX: 0, deltaY: -12 }, true));
    line("zoom in, one direction", await run({ deltaX: 0, deltaY: -40 }, false));
    line("move", await run({ deltaX: 30, deltaY: 0 }, false));
    line("zoom out to the whole", await run({ deltaX: 0, deltaY: 60 }, false));
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
});
