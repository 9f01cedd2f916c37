// The timeline under the hands of a user: what keys and pointer do, and that sums are those of the report.

import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { duration } from "../../src/format";
import type { Document } from "../../src/source/document";
import { rows } from "../../src/source/document";
import { barriers, open, picture, recorded, TRAINING, useBrowser, write } from "./harness";

useBrowser();
const data = recorded(TRAINING);
const document_ = data.document as Document;
const address = write("timeline", data);
const plot = ".timeline-scroll canvas";
const packed = gunzipSync(Buffer.from(data.timeline!.text, "base64"));
const { window: ends } = JSON.parse(packed.subarray(4, 4 + packed.readUInt32LE(0)).toString()) as { window: [number, number] };
const whole = ends[1] - ends[0];

async function opened(hash = "view=timeline", wanted = {}): Promise<Page> {
  const page = await open(address, hash, wanted);
  await page.waitForFunction(() => (document.querySelector<HTMLCanvasElement>(".timeline-scroll canvas")?.width ?? 300) !== 300);
  return page;
}

// Asked of the page itself: what the browser tells of its address comes later.
const hash = async (page: Page) => new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));

/** Waits until the address says something, which it does a moment after the picture. */
async function address_(page: Page, key: string, isThere = true): Promise<string> {
  await page.waitForFunction(([name, wanted]) => new URLSearchParams(location.hash.slice(1)).has(name as string) === wanted, [key, isThere] as const);
  return (await hash(page)).get(key) ?? "";
}

async function find(page: Page, words: string): Promise<void> {
  await page.keyboard.press("/");
  await page.keyboard.type(words);
}

const details = (page: Page) => page.locator(".timeline-details");

describe("timeline", () => {
  test.each(["light", "dark"] as const)("keeps nobody out, %s", async (theme) => {
    const page = await opened("view=timeline", { theme });
    await find(page, "all_reduce");
    await page.keyboard.press("Enter");
    await details(page).waitFor();
    await picture(page, `timeline-${theme}`);
    expect(await barriers(page)).toEqual([]);
  });

  test("nothing is cut on a narrow screen", async () => {
    const page = await opened("view=timeline", { width: 390, height: 800 });
    await picture(page, "timeline-390");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  test("keys zoom, move and undo, and the address follows", async () => {
    const page = await opened();
    await page.locator(plot).focus();
    for (let times = 0; times < 6; times++) await page.keyboard.press("w");
    // The address follows when the window stands still; six steps in leave 0.7^6 of the whole.
    const length = async () => (([from, to]) => to! - from!)(((await hash(page)).get("time") ?? "0-0").split("-").map(Number));
    await expect.poll(length).toBeCloseTo(whole * 0.7 ** 6, -2);
    const near = Number((await hash(page)).get("time")!.split("-")[0]);
    await page.keyboard.press("d");
    await expect.poll(async () => Number((await hash(page)).get("time")!.split("-")[0])).toBeGreaterThan(near);
    expect(await length()).toBeCloseTo(whole * 0.7 ** 6, -2);
    await page.keyboard.press("0");
    await address_(page, "time", false);
    await page.keyboard.press("u");
    await address_(page, "time");
  });

  test("a search counts what the report counts, and steps through it", async () => {
    const page = await opened();
    const kernels = rows(document_, "kernels", "by_name").filter((row) => String(row.name).includes("gemm"));
    const calls = kernels.reduce((sum, row) => sum + Number(row.calls), 0);
    expect(calls).toBeGreaterThan(10);
    await find(page, "gemm");
    await page.getByText(`${calls.toLocaleString("en")} found`).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(", 1 shown").waitFor();
    const first = await details(page).locator("h2").textContent();
    expect(first).toContain("gemm");
    await page.keyboard.press("Enter");
    await page.getByText(", 2 shown").waitFor();
    await page.keyboard.press("Shift+Enter");
    await page.getByText(", 1 shown").waitFor();
    expect(await details(page).locator("h2").textContent()).toBe(first);
    await page.keyboard.press("Escape");
    await page.getByText("found").waitFor({ state: "detached" });
  });

  test("a chosen slice tells its launch, its neighbours and is selected in all views", async () => {
    const page = await opened();
    await find(page, "ncclDevKernel");
    await page.keyboard.press("Enter");
    await page.locator(plot).focus();
    await details(page).getByText("Launched").waitFor();
    const begins = () => details(page).locator("dt:text-is('Begins at') + dd").textContent();
    const first = await begins();
    await page.keyboard.press(".");
    await page.waitForFunction((before) => ![...document.querySelectorAll(".timeline-details dd")].some((one) => one.textContent === before), first);
    await page.keyboard.press(",");
    await page.waitForFunction((before) => [...document.querySelectorAll(".timeline-details dd")].some((one) => one.textContent === before), first);
    // To the call that launched it, and from there back.
    await details(page).locator(".relations .link").first().click();
    await details(page).getByText("Launched 1, first").waitFor();
    await page.keyboard.press("f");
    await address_(page, "time");
    await page.keyboard.press("Escape");
    await details(page).waitFor({ state: "detached" });
  });

  test("an area of everything has the calls and times of the report", async () => {
    const page = await opened("view=timeline&timeline.area.filter=");
    const box = (await page.locator(plot).boundingBox())!;
    // A drag on the axis takes all rows; the tracks are unfolded so that all are there.
    await page.getByRole("button", { name: /^Tracks/ }).click();
    await page.getByRole("button", { name: "Unfold all" }).click();
    await page.mouse.move(box.x + 209, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 8);
    await page.mouse.move(box.x + box.width - 1, box.y + 8);
    await page.mouse.up();
    await details(page).waitFor();
    const expected = rows(document_, "kernels", "by_name").toSorted((a, b) => Number(b.total_ns) - Number(a.total_ns))[0]!;
    const shown = await details(page).locator("tr", { hasText: String(expected.name).slice(0, 30) }).first().locator("td").allTextContents();
    expect(shown).toContain(Number(expected.calls).toLocaleString("en"));
    expect(shown).toContain(duration(Number(expected.total_ns)));
    await picture(page, "timeline-area");
  });

  test("names that are selected elsewhere stay bright here", async () => {
    const name = String(rows(document_, "kernels", "by_name")[0]!.name);
    const sample = (page: Page) =>
      page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>(".timeline-scroll canvas")!;
        const { data } = canvas.getContext("2d")!.getImageData(210, 40, canvas.width - 220, canvas.height - 60);
        let far = 0;
        for (let at = 0; at < data.length; at += 4) far += 765 - data[at]! - data[at + 1]! - data[at + 2]!;
        return far;
      });
    const all = await sample(await opened());
    const some = await sample(await opened(`view=timeline&select=${encodeURIComponent(name)}`));
    expect(some).toBeLessThan(0.8 * all);
    // A name that is nowhere here leaves the picture as it is.
    const none = await sample(await opened("view=timeline&select=nowhere"));
    expect(Math.abs(none - all)).toBeLessThan(0.1 * all);
  });

  test("tracks are found, hidden and pinned", async () => {
    const page = await opened();
    await page.getByRole("button", { name: /^Tracks/ }).click();
    await page.getByRole("searchbox", { name: /Filter tracks/ }).fill("st20");
    const listed = page.locator(".tracks li");
    await expect.poll(() => listed.count()).toBe(2);
    await listed.first().getByRole("button", { name: "Pin" }).click();
    expect(await address_(page, "timeline.pinned")).toContain("stream 20");
    await listed.first().getByRole("checkbox").uncheck();
    expect(await address_(page, "timeline.hidden")).toContain("stream 20");
    await page.getByRole("button", { name: "Show all" }).click();
    await address_(page, "timeline.hidden", false);
    await address_(page, "timeline.pinned", false);
    // The keys do the same to the track under the pointer.
    await page.keyboard.press("Escape");
    const box = (await page.locator(plot).boundingBox())!;
    await page.mouse.click(box.x + box.width - 30, box.y + 32);
    // Devices stand above the threads of their host.
    await page.mouse.move(box.x + box.width * 0.6, box.y + 220);
    await page.keyboard.press("p");
    expect(await address_(page, "timeline.pinned")).toContain("thread");
    await picture(page, "timeline-pinned");
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60);
    await page.keyboard.press("p");
    await address_(page, "timeline.pinned", false);
  });

  test("ranks are aligned by a step", async () => {
    const page = await opened();
    await page.getByLabel("Align").selectOption("4");
    expect(await address_(page, "timeline.align")).toBe("4");
    await picture(page, "timeline-aligned");
  });

  test("the pointer finds slices, and a click on nothing lets go", async () => {
    const page = await opened();
    const box = (await page.locator(plot).boundingBox())!;
    const tip = page.locator(".tooltip strong");
    let y = 34;
    for (; y < box.height; y += 9) {
      await page.mouse.move(box.x + box.width * 0.6, box.y + y);
      if (await tip.isVisible()) break;
    }
    const name = await tip.textContent();
    expect(name).not.toBe("");
    await page.mouse.click(box.x + box.width * 0.6, box.y + y);
    expect(await details(page).locator("h2").textContent()).toBe(name);
    expect(await address_(page, "select")).toBe(name);
    await page.mouse.click(box.x + box.width - 3, box.y + 32);
    await details(page).waitFor({ state: "detached" });
    await address_(page, "select", false);
  });

  test("a drag moves, a drag on the overview chooses", async () => {
    const page = await opened();
    const strip = (await page.locator(".overview-strip").boundingBox())!;
    await page.mouse.move(strip.x + 500, strip.y + 20);
    await page.mouse.down();
    await page.mouse.move(strip.x + 700, strip.y + 20, { steps: 4 });
    await page.mouse.up();
    const chosen = (await address_(page, "time")).split("-").map(Number) as [number, number];
    const box = (await page.locator(plot).boundingBox())!;
    await page.mouse.move(box.x + 800, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 600, box.y + 300, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction((before) => !location.hash.includes(`time=${before}-`), chosen[0]);
    const moved = (await hash(page)).get("time")!.split("-").map(Number) as [number, number];
    expect(moved[0]).toBeGreaterThan(chosen[0]);
  });
});
