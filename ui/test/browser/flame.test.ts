// The flame graph under the hands of a user.

import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { percent } from "../../src/format";
import { barriers, open, picture, recorded, run, TRAINING, useBrowser, write } from "./harness";

useBrowser();
const address = write("flame", recorded(TRAINING));
const canvas = ".flame-scroll canvas";

async function opened(hash = "view=flame", wanted = {}): Promise<Page> {
  const page = await open(address, hash, wanted);
  await page.waitForFunction(() => (document.querySelector<HTMLCanvasElement>(".flame-scroll canvas")?.width ?? 300) !== 300);
  return page;
}

// Asked of the page itself: what the browser tells of its address comes later.
const hash = async (page: Page) => new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
const crumbs = (page: Page) => page.locator(".flame-path .link").allTextContents();

describe("flame graph", () => {
  test.each(["light", "dark"] as const)("keeps nobody out, %s", async (theme) => {
    for (const order of ["left-heavy", "time", "inverted", "sandwich"]) {
      const page = await opened(`view=flame&flame.order=${order}&select=aten::linear`, { theme });
      await picture(page, `flame-${order}-${theme}`);
      expect(await barriers(page)).toEqual([]);
    }
  });

  test("nothing is cut on a narrow screen", async () => {
    const page = await opened("view=flame", { width: 390, height: 800 });
    await picture(page, "flame-390");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  test("a click focuses and selects, Escape goes back", async () => {
    const page = await opened();
    const box = (await page.locator(canvas).boundingBox())!;
    expect(await crumbs(page)).toEqual(["all"]);
    // The second level: the first rank.
    await page.mouse.click(box.x + 30, box.y + 30);
    await expect.poll(() => crumbs(page)).toEqual(["all", "rank 1"]);
    await expect.poll(async () => (await hash(page)).get("select")).toBe("rank 1");
    await page.mouse.click(box.x + 30, box.y + 50 + (await page.locator(canvas).boundingBox())!.y - box.y);
    await expect.poll(async () => (await crumbs(page)).length).toBe(3);
    await page.keyboard.press("Escape");
    await expect.poll(() => crumbs(page)).toEqual(["all", "rank 1"]);
    await page.keyboard.press("Home");
    await expect.poll(() => crumbs(page)).toEqual(["all"]);
  });

  test("a search says the share that the table `nodes` has", async () => {
    const page = await opened();
    const { sections } = JSON.parse(run("flame", TRAINING, "--json")) as { sections: { tables: { id: string; columns: { id: string }[]; rows: (string | number | null)[][] }[] }[] };
    const table = sections[0]!.tables.find((one) => one.id === "nodes")!;
    const at = (id: string) => table.columns.findIndex((column) => column.id === id);
    const byId = new Map(table.rows.map((row) => [row[at("id")], row]));
    const matches = (row: (string | number | null)[]) => String(row[at("name")]).includes("aten::item");
    let sum = 0;
    let frames = 0;
    for (const row of table.rows) {
      if (!matches(row)) continue;
      if (Number(row[at("total_ns")]) > 0) frames++;
      let inside = false;
      for (let around = byId.get(row[at("parent")]!); around; around = byId.get(around[at("parent")]!)) inside ||= matches(around);
      if (!inside) sum += Number(row[at("total_ns")]);
    }
    await page.keyboard.press("/");
    await page.keyboard.type("aten::item");
    const share = percent((100 * sum) / Number(byId.get(0)![at("total_ns")]));
    await page.getByText(`${share} in ${frames} frame`).waitFor();
    await page.keyboard.press("Enter");
    expect(await page.locator("#flame-status").textContent()).toContain("aten::item");
    await page.getByRole("searchbox", { name: /Search frames/ }).fill("aten::(");
    await page.getByText("no regular expression").waitFor();
  });

  test("arrow keys walk, c shows both sides, metrics and orders are in the address", async () => {
    const page = await opened();
    await page.locator(canvas).focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await expect.poll(() => page.locator("#flame-status").textContent()).toContain("<module>");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => page.locator("#flame-status").textContent()).toContain("thread");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("c");
    await page.getByText(/places? of/).waitFor();
    await expect.poll(async () => (await hash(page)).get("flame.order")).toBe("sandwich");
    await page.getByRole("button", { name: "GPU time" }).click();
    await expect.poll(async () => (await hash(page)).get("flame.metric")).toBe("gpu");
    await page.getByRole("button", { name: "Left heavy" }).click();
    await expect.poll(async () => (await hash(page)).has("flame.order")).toBe(false);
  });

  test("a sandwich has the list of functions, and shows the one that is chosen", async () => {
    const page = await opened();
    await page.getByRole("button", { name: "Sandwich" }).click();
    const list = page.getByRole("grid", { name: "Functions" });
    const first = list.getByRole("row").nth(1);
    // The most time of its own first.
    await expect.poll(() => first.getByRole("gridcell").first().textContent()).toContain("cudaStreamSynchronize");
    await first.getByRole("gridcell").first().click();
    await page.getByText(/places? of/).waitFor();
    await expect.poll(async () => (await hash(page)).getAll("select")).toEqual(["cudaStreamSynchronize"]);
    await page.getByRole("searchbox", { name: "Filter Functions" }).fill("aten::mm");
    await list.getByRole("row").nth(1).getByRole("gridcell").first().click();
    await expect.poll(async () => (await hash(page)).getAll("select")).toEqual(["aten::mm"]);
    await picture(page, "flame-sandwich-list");
    expect(await barriers(page)).toEqual([]);
  });

  test("two runs are compared by colour", async () => {
    const recording = recorded(TRAINING);
    const flame = JSON.parse(gunzipSync(Buffer.from(recording.flame!.text, "base64")).toString()) as { views: { own: number[][]; base: number[][] }[] };
    // The same calls, of which the other run took half.
    for (const view of flame.views) view.base = view.own.map((column) => column.map((value) => Math.floor(value / 2)));
    const page = await open(write("flame-diff", { ...recording, flame: { text: JSON.stringify(flame).replaceAll("<", "\\u003c"), packed: false } }), "view=flame");
    await page.getByRole("button", { name: "Before" }).waitFor();
    await page.getByText("more than before").waitFor();
    await picture(page, "flame-difference");
    expect(await barriers(page)).toEqual([]);
  });
});
