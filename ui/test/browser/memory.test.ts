// Memory over time, at the peak, and when it ran out.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { bytes, percent } from "../../src/format";
import type { Document } from "../../src/source/document";
import { rows } from "../../src/source/document";
import { devices } from "../../src/views/memory/data";
import { grouped, isAt, stacked } from "../../src/views/memory/stacked";
import { barriers, open, picture, recorded, ROOT, run, TRAINING, useBrowser, write } from "./harness";

useBrowser();
const data = recorded(TRAINING);
const report = data.document as Document;
const address = write("memory", data);
const failed = JSON.parse(run("memory", join(ROOT, "fuzz/corpus/pickle/failed.pickle"), "--json")) as Document;

// Asked of the page itself: what the browser tells of its address comes later.
const hash = async (page: Page) => new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));

describe("memory", () => {
  test.each(["light", "dark"] as const)("keeps nobody out, %s", async (theme) => {
    const page = await open(address, "view=memory", { theme });
    await page.locator(".memory-chart canvas").waitFor();
    await picture(page, `memory-${theme}`);
    expect(await barriers(page)).toEqual([]);
  });

  test("nothing is cut on a narrow screen", async () => {
    const page = await open(address, "view=memory", { width: 390, height: 800 });
    await page.locator(".memory-chart canvas").waitFor();
    await picture(page, "memory-390");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await page.evaluate(() => document.getElementById("view")!.scrollWidth - document.getElementById("view")!.clientWidth)).toBeLessThanOrEqual(0);
  });

  test("says the peak of the device that is chosen", async () => {
    const page = await open(address, "view=memory");
    for (const row of rows(report, "memory", "by_device")) {
      await page.locator(".memory-device select").selectOption(`${row.rank} ${row.device}`);
      await page.getByText(`Peak ${bytes(Number(row.peak_bytes))}`).waitFor();
    }
    const first = rows(report, "memory", "at_peak_by_module").filter((row) => row.rank === 1).toSorted((a, b) => Number(b.bytes) - Number(a.bytes))[0]!;
    expect(await page.locator(".data-table tbody tr").first().textContent()).toContain(bytes(Number(first.bytes)));
  });

  test("two peaks are compared, and the address keeps which", async () => {
    const page = await open(address, "view=memory&memory.peak=at_peak");
    await page.getByLabel("Compare with").selectOption({ label: "rank 1, " + String(rows(report, "memory", "by_device")[1]!.device) });
    const grid = page.getByRole("grid", { name: "In use at both peaks, largest change first" });
    await grid.waitFor();
    const peak = (rank: number) => rows(report, "memory", "at_peak").filter((row) => row.rank === rank).reduce((sum, row) => sum + Number(row.bytes), 0);
    await page.getByText(`${bytes(peak(0))} in these rows`).waitFor();
    await picture(page, "memory-compared");
    expect(await barriers(page)).toEqual([]);
    expect((await hash(page)).get("memory.with")).toBe(`1 ${rows(report, "memory", "by_device")[1]!.device}`);
    await page.reload();
    await grid.waitFor();
  });

  test("a drag chooses the time of all views, a double click lets it go", async () => {
    const page = await open(address, "view=memory");
    const box = (await page.locator(".memory-chart .u-over").boundingBox())!;
    await page.mouse.move(box.x + 200, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 80, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("button", { name: "Show in the timeline" }).waitFor();
    await picture(page, "memory-range");
    const time = (await hash(page)).get("time");
    expect(time).toMatch(/^\d+-\d+$/);
    await page.getByRole("button", { name: "Show in the timeline" }).click();
    await page.locator(".timeline-scroll canvas").waitFor();
    // Timers of the page fire in order: after this one, the timeline has told its time if it does at all.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 1000)));
    expect((await hash(page)).get("time")).toBe(time);
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.locator(".memory-chart .u-over").dblclick({ position: { x: 300, y: 60 } });
    await page.waitForFunction(() => !location.hash.includes("time="));
  });

  test("the limit of the device is drawn when asked for", async () => {
    const page = await open(address, "view=memory");
    await page.getByRole("button", { name: "Device limit" }).click();
    await page.getByText("device limit", { exact: true }).waitFor();
    await expect.poll(async () => (await hash(page)).get("memory.limit")).toBe("on");
    await picture(page, "memory-limit");
  });

  test("allocations stand on top of each other up to what was in use", async () => {
    for (const one of [report, failed]) {
      for (const device of devices(one)) {
        const made = stacked(one, device)!;
        expect(made.all[made.peak]).toBe(device.row.peak_bytes);
        expect(made.time[made.peak]).toBe(device.row.peak_at_ns);
        const points = rows(one, "memory", "timeline").filter((row) => row.rank === device.rank && row.device === device.device);
        const states = new Set(made.all.map((bytes, state) => `${made.time[state]} ${bytes}`));
        expect(points.filter((row) => !states.has(`${row.time_ns} ${row.bytes}`))).toEqual([]);
      }
    }
  });

  test("an allocation is chosen by a click, and its operator in all views", async () => {
    const [device] = devices(report);
    const made = stacked(report, device!)!;
    const page = await open(address, "view=memory&memory.by=operator");
    const [row] = rows(report, "memory", "allocations_shown");
    await page.getByText(`${row!.shown} of ${row!.allocations} allocations, ${percent(Number(row!.peak_pct))} of the peak`).waitFor();
    const canvas = page.locator(".memory-stack canvas");
    // The lowest band at the peak, which is drawn however short it was.
    const lowest = grouped(made, "operator").flatMap((group) => group.bands).find((band) => isAt(band, made.peak))!;
    const life = [lowest.from, Math.min(lowest.to, made.time.length - 1)].map((state) => made.time[state]!) as [number, number];
    await page.evaluate((time) => (location.hash += `&time=${time}`), life.join("-"));
    await page.getByRole("button", { name: "All of the time", exact: true }).waitFor();
    const box = (await canvas.boundingBox())!;
    const from = made.all.findLastIndex((_, state) => made.time[state]! <= life[0]);
    const to = made.all.findLastIndex((_, state) => made.time[state]! <= life[1]);
    const most = Math.max(...made.all.slice(from, to + 1)) * 1.04;
    const x = 76 + ((made.time[made.peak]! - life[0]) / (life[1] - life[0])) * (box.width - 100);
    const place = { x: x + 0.5, y: 296 - ((lowest.base[made.peak - lowest.from]! + lowest.bytes / 2) / most) * 288 };
    await canvas.hover({ position: place });
    await page.getByRole("tooltip").getByText(bytes(lowest.bytes)).waitFor();
    await picture(page, "memory-stacked-tip");
    await canvas.click({ position: place });
    await page.locator("p[role=status]", { hasText: `operator ${lowest.row.operator}` }).waitFor();
    await expect.poll(async () => (await hash(page)).get("memory.block")).toBe(String(lowest.row.index));
    await expect.poll(async () => (await hash(page)).getAll("select")).toEqual([lowest.row.operator]);
    await picture(page, "memory-stacked-chosen");
    expect(await barriers(page)).toEqual([]);
    await canvas.click({ position: place });
    await page.waitForFunction(() => !location.hash.includes("memory.block"));
  });

  test("allocations are chosen by keys, searched, and put out by group", async () => {
    const page = await open(write("failed", { document: failed }), "view=memory");
    const canvas = page.locator(".memory-stack canvas");
    await canvas.focus();
    await page.keyboard.press("ArrowRight");
    const status = page.locator("p[role=status]");
    const first = rows(failed, "memory", "allocations").find((row) => row.start_ns === null)!;
    await expect.poll(() => status.textContent()).toContain(`${bytes(Number(first.bytes))} · in use before the recording`);
    await expect.poll(async () => (await hash(page)).get("memory.block")).not.toBeNull();
    const before = (await hash(page)).get("memory.block");
    await page.keyboard.press("ArrowUp");
    await expect.poll(async () => (await hash(page)).get("memory.block")).not.toBe(before);
    await page.keyboard.press("Escape");
    await page.getByText("Sums are at the peak.").waitFor();
    await page.getByLabel("Search allocations").fill("layer.py:33");
    await page.getByText("2 of 30 shown allocations, 16.0 MiB at the peak.").waitFor();
    await page.getByLabel("Search allocations").fill("");
    await page.getByRole("button", { name: /^forward/ }).click();
    await page.getByText(/^\d+ of 30 shown allocations, 43\.0 MiB at the peak\.$/).waitFor();
    await picture(page, "memory-stacked-group");
  });

  test("a drag over allocations chooses the time of all views", async () => {
    const page = await open(address, "view=memory");
    const canvas = page.locator(".memory-stack canvas");
    await canvas.scrollIntoViewIfNeeded();
    const box = (await canvas.boundingBox())!;
    await page.mouse.move(box.x + 300, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 90, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("button", { name: "All of the time", exact: true }).waitFor();
    await expect.poll(async () => (await hash(page)).get("time")).toMatch(/^\d+-\d+$/);
    expect((await hash(page)).get("memory.block")).toBeNull();
  });

  test("a request that failed is told with what held the memory", async () => {
    const page = await open(write("failed", { document: failed }), "view=memory");
    const [row] = rows(failed, "memory", "out_of_memory");
    await page.getByText(bytes(Number(row!.asked_bytes)), { exact: true }).first().waitFor();
    await page.getByText("the device was full").first().waitFor();
    await picture(page, "memory-failed");
    expect(await barriers(page)).toEqual([]);
    // There is no timeline in this answer of a verb: no tab offers it, and who goes there by address is told.
    expect(await page.getByRole("tab", { name: "Timeline" }).count()).toBe(0);
    await page.evaluate(() => (location.hash = "view=timeline"));
    await page.getByText("contains no slices").waitFor();
  });
});
