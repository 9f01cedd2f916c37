import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { documentOf } from "../unit/roofline-documents";
import { barriers, open, picture, recorded, run, TRAINING, useBrowser, write } from "./harness";

useBrowser();

const EXAMPLES = resolve(import.meta.dirname, "../../../examples/measurements");
const npu = JSON.parse(run("roofline", join(EXAMPLES, "commands.json"), "--config", join(EXAMPLES, "npu_config.json"), "--json")) as Document;
const kernels = JSON.parse(run("roofline", join(EXAMPLES, "kernels.csv"), "--device", join(EXAMPLES, "peaks.yaml"), "--json")) as Document;
const folder = mkdtempSync(join(tmpdir(), "eaves-roofline-"));

/** Many kernels below and at the roofs of an H100, always the same. */
function many(count: number): Document {
  const types = [["bf16", 989.4e12], ["fp32", 66.9e12], ["fp8", 1978.9e12]] as const;
  const names = ["gemm_kernel_128x128_tn", "flash_fwd_kernel", "layer_norm_kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"];
  let state = 7;
  const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const lines = Array.from({ length: count }, (_, index) => {
    const [type, peak] = types[index % 3] ?? types[0];
    const bytes = Math.round(10 ** (4 + 5.5 * random()));
    const flops = index % 23 ? Math.round(bytes * 10 ** (5 * random() - 1.5)) : 0;
    const best = Math.max(flops / peak, bytes / 3.35e12);
    return `"${names[index % 4]}_${index >> 2}",${flops},${bytes},${((best * 1e3) / 10 ** (-1.6 * random())).toFixed(6)},${type}`;
  });
  const file = join(folder, `many${count}.csv`);
  writeFileSync(file, ["name,flops,dram_bytes,time_ms,dtype_key", ...lines].join("\n"));
  return JSON.parse(run("roofline", file, "--device", "h100-sxm", "--json", "-q")) as Document;
}

const training = write("training", recorded(TRAINING));
const commands = write("npu", { document: npu });
const table = write("kernels", { document: kernels });
const thousands = write("many", { document: many(2000) });

const chart = (page: Page) => page.locator(".plot > svg");
const ticks = (page: Page) => page.locator(".plot text.dim").allTextContents();
const options = (page: Page) => page.getByRole("listbox").getByRole("option");
const option = (page: Page, name: string) => options(page).filter({ hasText: name }).first();
const status = (page: Page) => page.locator(".roofline .said").textContent();

/** The middle of a mark in the window. */
async function place(page: Page, index: number): Promise<[number, number]> {
  const box = await page.locator(`[data-spot="${index}"]`).boundingBox();
  if (!box) throw new Error(`no mark ${index}`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

test("points, kernels and sums of the example", async () => {
  const page = await open(training, "view=roofline");
  expect(await status(page)).toBe("50 of 50 kernels, 100.0% of time");
  expect(await page.locator(".plot .mark").count()).toBe(50);
  expect(await options(page).first().textContent()).toContain("aten::addmm");
  await picture(page, "roofline-training");
  expect(await barriers(page)).toEqual([]);
});

test("wheel, drag, box, undo and reset", async () => {
  const page = await open(training, "view=roofline");
  const whole = await ticks(page);
  const box = (await chart(page).boundingBox())!;
  const middle = [box.x + box.width * 0.6, box.y + box.height * 0.5] as const;
  await page.mouse.move(...middle);
  await page.mouse.wheel(0, -300);
  // Without the focus the wheel scrolls, and says how to zoom.
  expect(await page.locator(".plot-hint").textContent()).toContain("Ctrl + wheel");
  expect(await ticks(page)).toEqual(whole);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await expect.poll(() => ticks(page)).not.toEqual(whole);
  const zoomed = await ticks(page);
  await page.mouse.down();
  await page.mouse.move(middle[0] - 150, middle[1] - 90, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => ticks(page)).not.toEqual(zoomed);
  const moved = await ticks(page);
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + 300, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 420, box.y + 180, { steps: 4 });
  expect(await page.locator(".plot .box").count()).toBe(1);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect.poll(() => ticks(page)).not.toEqual(moved);
  await expect.poll(() => page.url()).toContain("roofline.window=");
  await page.getByRole("button", { name: "Undo zoom" }).click();
  await expect.poll(() => ticks(page)).toEqual(moved);
  await page.getByRole("button", { name: "Undo zoom" }).click();
  await expect.poll(() => ticks(page)).toEqual(zoomed);
  await page.getByRole("button", { name: "Show all" }).click();
  await expect.poll(() => ticks(page)).toEqual(whole);
  await expect.poll(() => page.url()).not.toContain("roofline.window=");
});

test("a zoomed window is in the address, and keys move it", async () => {
  const page = await open(commands, "view=roofline&roofline.window=0,1,1,3");
  const window = await ticks(page);
  expect(window.filter((text) => /^(1|2|5|10)$/.test(text))).toHaveLength(4);
  await chart(page).focus();
  await page.keyboard.press("+");
  await expect.poll(() => ticks(page)).not.toEqual(window);
  await page.keyboard.press("u");
  await expect.poll(() => ticks(page)).toEqual(window);
  await page.keyboard.press("0");
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(5);
});

test("hover says how far it is, a click explains it", async () => {
  const page = await open(commands, "view=roofline");
  const stem = npu.sections[0]!.tables.find((one) => one.id === "points")!.rows.findIndex((row) => row[0] === "stem");
  await page.mouse.move(...(await place(page, stem)));
  const tip = page.getByRole("tooltip");
  // 24.996 of 32 TOP/s, by the formulas of docs/roofline.md: 78.1 %, 16.2 us above 57.8.
  for (const text of ["stem", "78.1%", "16.20 µs", "74.00 µs", "685 OP/B", "25 TOP/s", "Compute Bound", "any"]) expect(await tip.textContent()).toContain(text);
  await page.mouse.click(...(await place(page, stem)));
  const detail = page.getByRole("region", { name: "About stem" });
  for (const text of ["Compute Bound", "78.1% of its roof", "16.20 µs headroom", "925 MMAC", "1.85 GOP", "2.6 MiB", "36.5 GB/s"]) expect(await detail.textContent()).toContain(text);
  await detail.getByText("Raw record").click();
  expect(await detail.locator("pre").last().textContent()).toContain('"hw_bytes": 2700000');
  await detail.getByText("Sources").click();
  expect(await detail.textContent()).toContain("npu_config.json (medium)");
  await expect.poll(() => page.url()).toContain("select=stem");
  expect(await option(page, "stem").getAttribute("aria-selected")).toBe("true");
  await picture(page, "roofline-npu");
  // The same again lets go.
  await chart(page).scrollIntoViewIfNeeded();
  await page.mouse.click(...(await place(page, stem)));
  await expect.poll(() => detail.count()).toBe(0);
});

test("all calls of an operator are one point, if one wants that", async () => {
  const page = await open(training, "view=roofline");
  await page.getByText("50 of 50 kernels").waitFor();
  await page.getByLabel("Group by").selectOption({ label: "name" });
  const names = new Set((JSON.parse(run("report", TRAINING, "--json")) as Document).sections.find((one) => one.id === "roofline")!.tables.find((one) => one.id === "points")!.rows.map((row) => row[0]));
  await page.getByText(`${names.size} of ${names.size} kernels`).waitFor();
  await picture(page, "roofline-totals");
  expect(await barriers(page)).toEqual([]);
  // The table below has what the sums are of.
  expect(await page.getByRole("grid").first().getAttribute("aria-rowcount")).toBe("51");
});

test("the list isolates, Ctrl adds, only what is selected is left", async () => {
  const page = await open(table, "view=roofline");
  const total = await page.locator(".plot .mark").count();
  await option(page, "gemm_down").click();
  expect(await page.locator(".plot .dimmed").count()).toBe(total - 1);
  await option(page, "gemv_decode").click({ modifiers: ["Control"] });
  expect(await page.locator(".plot .dimmed").count()).toBe(total - 2);
  await page.getByRole("button", { name: "Only selected" }).click();
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(2);
  expect(await status(page)).toMatch(/^2 of 8 kernels/);
  await page.getByRole("button", { name: "Show others" }).click();
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(total);
});

test("the slider shows the kernels with most of the time", async () => {
  const page = await open(training, "view=roofline");
  await page.getByLabel("Top kernels by cumulative time").fill("60");
  await expect.poll(() => status(page)).not.toContain("50 of 50");
  // By hand: rows by time until those before a row reach 60 %.
  const points = (JSON.parse(run("report", TRAINING, "--json")) as Document).sections.find((one) => one.id === "roofline")!.tables.find((one) => one.id === "points")!;
  const times = points.rows.map((row) => Number(row[points.columns.findIndex((column) => column.id === "time_ns")])).sort((a, b) => b - a);
  const all = times.reduce((sum, time) => sum + time, 0);
  let sum = 0;
  let count = 0;
  for (const time of times) {
    if ((100 * sum) / all >= 60) break;
    sum += time;
    count += 1;
  }
  expect(await status(page)).toBe(`${count} of 50 kernels, ${((100 * sum) / all).toFixed(1)}% of time`);
  await expect.poll(() => page.url()).toContain("roofline.share=60");
});

test("filters with counts, colours, search and roofs", async () => {
  const page = await open(table, "view=roofline&roofline.side=filters");
  const box = page.getByRole("checkbox", { name: /^Compute Bound/ });
  const count = Number(await page.locator("label.check", { hasText: "Compute Bound" }).locator(".count").textContent());
  const before = await page.locator(".plot .mark").count();
  await box.uncheck();
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(before - count);
  await box.check();
  await page.getByLabel("Color by").selectOption("dtype");
  await expect.poll(() => page.locator(".legend").textContent()).toContain("bf16_tensor");
  await page.getByLabel("Search kernel names").fill("gemm");
  await expect.poll(() => status(page)).toMatch(/^\d of 8 kernels/);
  await page.getByRole("tab", { name: "Roofs", exact: true }).click();
  const peaks = () => page.locator(".plot .solid").count();
  const drawn = await peaks();
  await page.getByRole("checkbox", { name: /^bf16 matrix/ }).uncheck();
  await expect.poll(peaks).toBe(drawn - 1);
  await page.getByRole("group", { name: "Roofs by type" }).getByRole("button", { name: "bf16" }).click();
  await expect.poll(peaks).toBe(drawn);
});

test("changed peaks and thresholds classify at once, and are in the address", async () => {
  const page = await open(commands, "view=roofline&roofline.side=adjust");
  const marks = (filling: string) => page.locator(`.plot .mark.${filling}`).count();
  expect([await marks("full"), await marks("half"), await marks("hollow")]).toEqual([3, 1, 1]);
  // `given` reaches 55.2 % of its roof, and 27.6 of 50 GB/s.
  await page.locator("#limit-bound").fill("50");
  await page.locator("#limit-bound").blur();
  await expect.poll(() => marks("full")).toBe(4);
  expect(await page.getByText("1 point with a changed status").count()).toBe(1);
  // With twice the peak `stem` is left of the knee: 2.7 MB at 50 GB/s take 54 of its 74 us.
  await page.getByLabel("any TOP/s").fill("64");
  await page.getByLabel("any TOP/s").blur();
  await expect.poll(() => page.locator(".plot text.halo").allTextContents()).toContain("any 64 TOP/s");
  await expect.poll(() => decodeURIComponent(page.url())).toContain("roofline.rate.any=64000");
  await page.locator(".side").getByRole("tab", { name: "Kernels" }).click();
  expect(await option(page, "stem").textContent()).toContain("73.0% of roof");
  await page.getByRole("tab", { name: "Adjust" }).click();
  await page.getByRole("button", { name: "Reset" }).click();
  await expect.poll(() => marks("full")).toBe(3);
  await expect.poll(() => page.url()).not.toContain("roofline.rate");
});

async function content(download: Promise<Download>): Promise<string> {
  return readFileSync(await (await download).path(), "utf8");
}

test("the configuration is saved, loaded, and a corrupt one is refused", async () => {
  const page = await open(commands, "view=roofline&roofline.side=adjust&roofline.limit.memory=25");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save config" }).click();
  expect(JSON.parse(await content(download))).toEqual({ peak_tops: 32, mem_bw: 50, mem_thresh: 25, comp_thresh: 40, bound_thresh: 70, balanced: 1.2 });
  const load = (text: string) => page.getByLabel("Load config").setInputFiles({ name: "roofline_config.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await load('{"peak_tops": 16, "mem_bw": 100}');
  await expect.poll(() => page.locator("#rate-any").inputValue()).toBe("16");
  expect(await page.locator("#rate-HBM").inputValue()).toBe("100");
  expect(await page.locator("#limit-memory").inputValue()).toBe("40");
  for (const corrupt of ["{", '{"mem_thresh": 400}']) {
    await load(corrupt);
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("was not applied");
    expect(await page.locator("#rate-any").inputValue()).toBe("16");
  }
});

test("what is above its roof is a problem of the data with a cause", async () => {
  const page = await open(table, "view=roofline");
  const rows = kernels.sections[0]!.tables.find((one) => one.id === "points")!;
  const flag = rows.columns.findIndex((column) => column.id === "flag");
  const index = rows.rows.findIndex((row) => row[flag] !== null);
  expect(await page.locator(".plot .ring").count()).toBe(1);
  await option(page, String(rows.rows[index]![0])).click();
  const detail = page.locator(".point");
  expect(await detail.getByRole("alert").textContent()).toContain(String(rows.rows[index]![flag]));
  expect(await option(page, String(rows.rows[index]![0])).textContent()).toContain("above its roof");
  // 8 MiB in 2.62 us would be 160 % of the bandwidth: that is said nowhere as if it were a share.
  expect(await detail.textContent()).not.toContain("160");
});

test("arrows lead to the intensity without redundant bytes", async () => {
  const page = await open(commands, "view=roofline&roofline.side=roofs");
  expect(await page.locator(".plot .waste").count()).toBe(1);
  await page.getByRole("checkbox", { name: /^Arrows/ }).uncheck();
  await expect.poll(() => page.locator(".plot .waste").count()).toBe(0);
});

test("inputs with devices of their own have tabs", async () => {
  const document = JSON.parse(run("roofline", "--pair", `peaks=${join(EXAMPLES, "peaks.yaml")},input=${join(EXAMPLES, "kernels.csv")}`, "--pair", `peaks=${join(EXAMPLES, "npu_config.json")},input=${join(EXAMPLES, "commands.json")}`, "--json")) as Document;
  const page = await open(write("pairs", { document }), "view=roofline");
  expect(await status(page)).toContain("of 8 kernels");
  await page.getByRole("tab", { name: "commands.json · npu_config" }).click();
  await expect.poll(() => status(page)).toContain("of 5 kernels");
  await expect.poll(() => page.url()).toContain("input=1");
  await page.getByRole("button", { name: "Side by side" }).click();
  await expect.poll(() => page.locator(".rooflines .plot > svg").count()).toBe(2);
  // Eight kernels of the one, five commands of the other.
  await expect.poll(() => page.locator(".rooflines .plot .mark").count()).toBe(13);
  const widths = await page.locator(".rooflines .plot").evaluateAll((plots) => plots.map((plot) => plot.clientWidth));
  expect(Math.abs(widths[0]! - widths[1]!)).toBeLessThan(2);
  await picture(page, "roofline-beside");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("tab", { name: /^kernels.csv/ }).click();
  await expect.poll(() => status(page)).toContain("of 8 kernels");
});

test("levels of memory and measured roofs", async () => {
  const base = npu.sections[0]!;
  const points = base.tables.find((one) => one.id === "points")!;
  const roofs = base.tables.find((one) => one.id === "roofs")!;
  const document: Document = {
    ...npu,
    sections: [
      {
        ...base,
        tables: [
          { ...points, columns: [...points.columns, { id: "bytes_l2" }, { id: "intensity_l2" }], rows: points.rows.map((row) => [...row, 1e6, 2]) },
          { ...roofs, rows: [...roofs.rows, ["L2", "memory", 400, "byte", null, "Measured by a test", "measured"]] },
        ],
      },
      ...documentOf("measured-roofs", {}, { roofs: [{ name: "any", kind: "arithmetic", all: 20000 }] }).sections,
    ],
  };
  const page = await open(write("levels", { document }), "view=roofline&roofline.side=roofs");
  expect(await page.locator(".plot .measured").count()).toBe(2);
  await page.getByLabel("Memory level").selectOption("l2");
  await expect.poll(() => page.locator(".plot text.axis").first().textContent()).toBe("Intensity of L2 (OP/B)");
  const xs = await page.locator("[data-spot]").evaluateAll((marks) => marks.map((mark) => /translate\(([\d.]+)/.exec(mark.getAttribute("transform") ?? "")?.[1]));
  expect(new Set(xs).size).toBe(1);
  await page.getByRole("checkbox", { name: /^Measured roofs/ }).uncheck();
  await expect.poll(() => page.locator(".plot .measured").count()).toBe(0);
});

test("a selected time is noted, and other views' selection is shown", async () => {
  const page = await open(training, "view=roofline&time=1000000-3000000&select=aten%3A%3Amm");
  expect(await page.locator(".filter-row").textContent()).toContain("This file holds sums over the whole recording");
  const points = await page.locator(".plot .outline").count();
  expect(points).toBeGreaterThan(3);
  await page.locator(".filter-row").getByText("Clear").click();
  await expect.poll(() => page.locator(".plot .outline").count()).toBe(0);
});

test("pictures, data and the command leave the page", async () => {
  const page = await open(commands, "view=roofline&roofline.limit.memory=25");
  const save = async (label: string): Promise<Download> => {
    await page.getByRole("button", { name: "Export roofline", exact: true }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: label }).click();
    return download;
  };
  const csv = await content(save("Save as CSV"));
  expect(csv.split("\r\n")[0]).toMatch(/^name,kind,dtype,calls/);
  expect(csv.split("\r\n")).toHaveLength(7);
  expect(JSON.parse(await content(save("Save as JSON")))).toHaveLength(5);
  const svg = await content(save("Save as SVG"));
  // Where the page is not around it, a picture says what it is of.
  expect(svg).toContain("Roofline, ");
  expect(svg).toContain(new Date().toISOString().slice(0, 10));
  expect(svg).toMatch(/>Memory (Bound|Inefficient)<|>Compute (Bound|Inefficient)<|>Normal</);
  expect(svg).not.toMatch(/tabindex|aria-label|role=/);
  expect(svg).toContain("paint-order: stroke");
  expect(svg.match(/<path/g)?.length).toBeGreaterThan(8);
  const png = readFileSync(await (await save("Save as PNG")).path());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  await page.getByRole("button", { name: "Export roofline", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy command line" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^eaves roofline .*commands\.json --memory-threshold 25$/);
});

test("two thousand points are painted, found and moved", async () => {
  const page = await open(thousands, "view=roofline");
  expect(await page.locator(".plot > canvas").count()).toBe(1);
  expect(await page.locator(".plot [data-spot]").count()).toBe(0);
  await picture(page, "roofline-many");
  const ink = () => page.locator(".plot > canvas").evaluate((canvas: HTMLCanvasElement) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true })!;
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let at = 3; at < data.length; at += 4) sum += data[at] ? 1 : 0;
    return sum;
  });
  const all = await ink();
  expect(all).toBeGreaterThan(5000);
  await page.getByLabel("Top kernels by cumulative time").fill("50");
  await expect.poll(ink).toBeLessThan(all / 2);
  await page.getByLabel("Top kernels by cumulative time").fill("100");
  await chart(page).focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.locator(".point h3").count()).toBe(1);
  // Only some rows of the list are elements.
  expect(await options(page).count()).toBeLessThan(60);
  const time = await page.evaluate(async () => {
    const svg = document.querySelector(".plot > svg")!;
    const box = svg.getBoundingClientRect();
    const send = (type: string, x: number) => svg.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + 200, button: 0, pointerId: 1, bubbles: true }));
    svg.setPointerCapture = () => {};
    send("pointerdown", 400);
    const start = performance.now();
    for (let step = 1; step <= 30; step += 1) {
      send("pointermove", 400 - 6 * step);
      await new Promise((done) => requestAnimationFrame(done));
    }
    send("pointerup", 220);
    return (performance.now() - start) / 30;
  });
  console.log(`2 000 points: ${time.toFixed(1)} ms for each step of moving`);
});

test("pages of 390 pixels, dark, and by keyboard", async () => {
  const small = await open(commands, "view=roofline", { width: 390, height: 800 });
  expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await picture(small, "roofline-small");
  const page = await open(training, "view=roofline&select=aten%3A%3Aaddmm", { theme: "dark", height: 1100 });
  await picture(page, "roofline-dark");
  expect(await barriers(page)).toEqual([]);
  await chart(page).focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => page.locator(".point h3").textContent()).not.toBe("aten::addmm");
});

test("names are text, whatever they are", async () => {
  const hostile = '<script>alert("x")</script><img src=x onerror=alert(1)>';
  const document = structuredClone(npu);
  for (const one of document.sections[0]!.tables) {
    for (const row of one.rows) one.columns.forEach((column, at) => ["name", "record", "dtype", "source", "flag"].includes(column.id) && row[at] !== null && (row[at] = hostile));
  }
  const page = await open(write("hostile-roofline", { document }), `view=roofline&select=${encodeURIComponent(hostile)}&roofline.colour=dtype`);
  expect(await page.locator("#app script, #app img").count()).toBe(0);
  expect(await page.locator(".point h3").textContent()).toBe(hostile);
  for (const side of ["Filters", "Roofs", "Adjust"]) {
    await page.locator(".side").getByRole("tab", { name: side }).click();
    expect(await page.locator("#app script, #app img").count()).toBe(0);
  }
});

test("without points the view says why", async () => {
  const page = await open(write("none", { document: { ...npu, sections: [] } }), "view=roofline");
  expect(await page.getByRole("note").textContent()).toContain("eaves roofline kernels.csv --device h100-sxm");
});
