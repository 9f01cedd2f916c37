// The frame under the hands of a user, with data that is made here: the way through the views and back, dialogs, what is selected.

import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { payload } from "../payload";
import { barriers, open, picture, useBrowser, write } from "./harness";

useBrowser();

const column = (id: string, unit: string | null = null) => ({ id, title: id, unit });
const KERNELS = ["gemm_nn", "gemm_nt", "softmax", "ncclDevKernel_AllReduce"];
const MS = 1_000_000;

/** Two ranks with four steps of 10 ms, and a few kernels. */
const made: Document = {
  schema: "eaves.report/1",
  tool: { name: "eaves", version: "0" },
  inputs: [0, 1].map((rank) => ({ path: `/traces/rank${rank}.json`, format: "kineto", rank, events: 100, bytes: 1000 })),
  warnings: [],
  skipped: [],
  sections: [
    {
      id: "kernels",
      title: "Kernels",
      view: "kernels",
      numbers: [],
      findings: [],
      tables: [{ id: "by_name", title: "Kernels by name", columns: [column("name"), column("calls", "count"), column("total_ns", "ns"), column("share_pct", "%"), column("type")], rows: KERNELS.map((name, at) => [name, 10 + at, (4 - at) * MS, 40 - 10 * at, "compute"]) }],
    },
    {
      id: "steps",
      title: "Steps",
      numbers: [0, 1, 2, 3, 4, 5].map((rank) => ({ id: "median_ns", rank, value: (10 + ((rank * 5) % 6)) * MS, unit: "ns", provenance: "formula" as const })),
      findings: [],
      tables: [{ id: "by_step", title: "Steps", columns: [column("rank"), column("step"), column("start_ns", "ns"), column("duration_ns", "ns")], rows: [0, 1].flatMap((rank) => [0, 1, 2, 3].map((step) => [rank, step, step * 10 * MS + rank * 1000, 10 * MS - 2000])) }],
    },
  ],
};

const host = (depth: number) => Array.from({ length: 40 }, (_, at) => ({ start: at * MS + depth * 1000, duration: MS - depth * 2000, name: depth % 4 }));
const bytes = payload([...KERNELS], [4, 4, 4, 5], [
  { group: "process 1", name: "thread 1", stream: false, rows: Array.from({ length: 6 }, (_, depth) => host(depth)) },
  { group: "GPU 0", name: "stream 7", stream: true, rows: [Array.from({ length: 40 }, (_, at) => ({ start: at * MS, duration: 900_000, name: at % 4 }))] },
], [0, 40 * MS]);
const address = write("frame", { document: made, timeline: { text: gzipSync(bytes).toString("base64"), packed: true } });

const view = (page: Page) => page.getByRole("tablist", { name: "Views" }).getByRole("tab", { selected: true }).textContent();
const hash = async (page: Page) => new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
const plot = (page: Page) => page.locator(".timeline-scroll canvas");

async function drawn(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.waitForFunction(() => (document.querySelector<HTMLCanvasElement>(".timeline-scroll canvas")?.width ?? 300) !== 300);
  return (await plot(page).boundingBox())!;
}

describe("the way through the views", () => {
  test("Back and Forward go through every step, one press each", async () => {
    const page = await open(address, "view=overview");
    await page.keyboard.press("3");
    const box = await drawn(page);
    await page.mouse.click(box.x + 600, box.y + 60);
    await page.locator(".timeline-details h2").waitFor();
    await page.keyboard.press("2");
    await expect.poll(() => view(page)).toBe("Roofline");
    await page.goBack();
    await expect.poll(() => view(page)).toBe("Timeline");
    await page.locator(".timeline-details h2").waitFor();
    await page.goBack();
    await expect.poll(() => view(page)).toBe("Overview");
    await page.goForward();
    await expect.poll(() => view(page)).toBe("Timeline");
    await page.goForward();
    await expect.poll(() => view(page)).toBe("Roofline");
  });

  test("a link with its parts in another order is one step", async () => {
    const page = await open(address, "view=kernels");
    await page.evaluate(() => (location.hash = "rank=1&view=timeline"));
    await expect.poll(() => view(page)).toBe("Timeline");
    await page.goBack();
    await expect.poll(() => view(page)).toBe("Kernels");
  });

  test.each([800, 390])("tabs that do not fit have arrows, %d pixels", async (width) => {
    const page = await open(address, "view=overview", { width });
    const last = page.getByRole("tab", { name: "Live" });
    await picture(page, `frame-tabs-${width}`);
    for (let presses = 0; presses < 8; presses++) {
      await page.evaluate(() => [...document.querySelectorAll<HTMLElement>(".tabs-more")].find((one) => one.textContent === "›")?.click());
      await page.waitForTimeout(100);
    }
    await expect.poll(() => page.locator(".tabs-more", { hasText: "›" }).count()).toBe(0);
    const box = (await last.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(width);
  });
});

describe("dialogs", () => {
  test("Escape closes what is on top, and leaves what is below", async () => {
    const page = await open(address, "view=timeline");
    const box = await drawn(page);
    await page.mouse.click(box.x + 600, box.y + 60);
    await page.locator(".timeline-details h2").waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    expect(await page.locator(".timeline-details h2").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.locator(".timeline-details h2").waitFor({ state: "detached" });
  });

  test("keys do not go through the help", async () => {
    const page = await open(address, "view=timeline");
    await drawn(page);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    for (const key of ["2", "w", "Control+K", "]"]) await page.keyboard.press(key);
    await page.waitForTimeout(400);
    expect(await view(page)).toBe("Timeline");
    expect((await hash(page)).get("time")).toBeNull();
    expect(await page.getByRole("dialog", { name: "Commands" }).count()).toBe(0);
  });

  test("the help lists a key once, in caps as high as their letters", async () => {
    const page = await open(address, "view=timeline");
    await drawn(page);
    await page.keyboard.press("?");
    const caps = page.getByRole("dialog", { name: "Keys" }).locator("dl > div", { hasText: "Zoom in, out at the pointer" }).locator("kbd");
    expect(await caps.allTextContents()).toEqual(["w", "s"]);
    const heights = await page.getByRole("dialog", { name: "Keys" }).locator("kbd").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(26);
    await picture(page, "frame-help");
    expect(await barriers(page)).toEqual([]);
  });
});

describe("what is selected", () => {
  test("nothing moves under the pointer when something is selected or zoomed", async () => {
    const page = await open(address, "view=timeline");
    const before = await drawn(page);
    await page.mouse.click(before.x + 600, before.y + 60);
    await page.locator(".timeline-details h2").waitFor();
    await plot(page).focus();
    await page.keyboard.press("w");
    await expect.poll(async () => (await hash(page)).get("time")).not.toBeNull();
    expect((await plot(page).boundingBox())!.y).toBe(before.y);
    await picture(page, "frame-selected");
    expect(await barriers(page)).toEqual([]);
  });

  test("the slice, the area, the search and the folds are in the address", async () => {
    const page = await open(address, "view=timeline");
    const box = await drawn(page);
    await page.mouse.click(box.x + 600, box.y + 60);
    const name = await page.locator(".timeline-details h2").textContent();
    await page.getByRole("searchbox", { name: /Search slices/ }).fill("gemm");
    await page.mouse.click(box.x + 60, box.y + 130);
    await expect.poll(async () => [...(await hash(page)).keys()]).toEqual(expect.arrayContaining(["timeline.slice", "timeline.query", "timeline.folded"]));
    const again = await open(address, await page.evaluate(() => location.hash.slice(1)));
    await drawn(again);
    expect(await again.locator(".timeline-details h2").textContent()).toBe(name);
    expect(await again.getByRole("searchbox", { name: /Search slices/ }).inputValue()).toBe("gemm");
    // An area takes the place of the slice.
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 300, box.y + 110);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y + 300, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await expect.poll(async () => (await hash(page)).get("timeline.area")).toMatch(/^\d+ \d+ [\d,-]+$/);
    const words = await page.locator(".area-head").textContent();
    const third = await open(address, await page.evaluate(() => location.hash.slice(1)));
    await drawn(third);
    await expect.poll(() => third.locator(".area-head").textContent()).toBe(words);
    await picture(third, "frame-area");
  });

  test("a click on the name of a device closes it", async () => {
    const page = await open(address, "view=timeline");
    const box = await drawn(page);
    await page.mouse.click(box.x + 60, box.y + 40);
    await expect.poll(async () => (await hash(page)).get("timeline.closed")).toBe("0/GPU 0");
    await page.mouse.click(box.x + 60, box.y + 40);
    await expect.poll(async () => (await hash(page)).get("timeline.closed")).toBeNull();
  });

  test("a search lists what it found, and tells before it selects many", async () => {
    const page = await open(address, "view=kernels");
    await page.keyboard.press("/");
    await page.keyboard.type("gemm");
    const list = page.getByRole("listbox", { name: "Names found" });
    expect(await list.getByRole("option").allTextContents()).toEqual(["All 2 names with “gemm”", "gemm_nnKernels", "gemm_ntKernels"]);
    await picture(page, "frame-search");
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await hash(page)).getAll("select")).toEqual(["gemm_nt"]);
    await page.getByRole("combobox", { name: "Search names" }).fill("gemm");
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await hash(page)).getAll("select")).toEqual(["gemm_nn", "gemm_nt"]);
  });

  test("a step is chosen above every view", async () => {
    const page = await open(address, "view=kernels");
    await page.getByRole("combobox", { name: "Step" }).selectOption("2");
    await expect.poll(async () => (await hash(page)).get("time")).toBe(`${20 * MS}-${30 * MS - 1000}`);
    await page.getByRole("combobox", { name: "Rank" }).selectOption("1");
    expect(await page.getByRole("combobox", { name: "Step" }).inputValue()).toBe("");
    await page.getByRole("button", { name: "Show the whole time" }).click();
    await expect.poll(async () => (await hash(page)).get("time")).toBeNull();
  });

  test("the least and the most of many ranks are no range of ranks", async () => {
    const page = await open(address, "view=overview");
    const card = page.locator(".card", { hasText: "Median step" });
    expect(await card.textContent()).toMatch(/10\.00 ms – 15\.00 ms\s*least: rank 0, most: rank 1/);
  });
});
