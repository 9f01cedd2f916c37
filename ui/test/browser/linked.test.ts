// Views that look at one rank and one time, and at the machine itself: with the real server, and in a file.

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { barriers, open, page as written, picture, run, TRAINING, useBrowser, useServer } from "./harness";

useBrowser();
const canvas = ".flame-scroll canvas";
const json = (...parts: string[]) => JSON.parse(run(...parts, "--json")) as Document;
const crumbs = (page: Page) => page.locator(".flame-path .link").allTextContents();

describe("a server", () => {
  const served = useServer(TRAINING);

  test("its flame graph is of the rank and the time that are looked at", async () => {
    const page = await open(served.address, "view=flame&rank=1", { online: true });
    await page.getByText("Calls of rank 1.").waitFor();
    await page.locator(canvas).waitFor();
    // One rank needs no frame of its own: threads stand below all.
    const box = (await page.locator(canvas).boundingBox())!;
    await page.mouse.click(box.x + 30, box.y + 30);
    await expect.poll(async () => (await crumbs(page))[1]).toContain("thread");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${served.address}#view=flame&rank=1&time=10000000-20000000`);
    await page.getByText("Calls within 10.00 ms to 20.00 ms, cut at both ends.").waitFor();
    await expect.poll(() => asked.some((url) => url.includes("flame?rank=1&start=10000000&end=20000000"))).toBe(true);
    await picture(page, "flame-window");
    expect(await barriers(page)).toEqual([]);
  });

  test("its machine is seen live, until frozen", async () => {
    const page = await open(served.address, "view=live", { online: true });
    const moment = page.locator(".live .note").first();
    await moment.filter({ hasText: "Now," }).waitFor();
    await page.locator(".live-row", { hasText: "Memory in use" }).filter({ hasText: " of " }).waitFor();
    await expect.poll(() => page.locator(".live-row", { hasText: "CPU" }).locator("path.line").getAttribute("d")).toMatch(/L.*L/);
    await picture(page, "live");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Freeze" }).click();
    await moment.filter({ hasText: "Frozen at" }).waitFor();
    const path = () => page.locator(".live-row path.line").first().getAttribute("d");
    const frozen = await path();
    // Three samples later it is the same picture; afterwards none of them is lost.
    await page.evaluate(
      () =>
        new Promise<void>((done) => {
          const events = new EventSource("/api/v1/live");
          let heard = 0;
          events.onmessage = () => {
            heard += 1;
            if (heard < 3) return;
            events.close();
            done();
          };
        }),
    );
    expect(await path()).toBe(frozen);
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(async () => ((await path()) ?? "").split("L").length).toBeGreaterThan((frozen ?? "").split("L").length + 2);
  });
});

describe("a file", () => {
  const report = written("linked", "report", TRAINING);

  test("its flame graph is of the rank, and says that it is of all of the time", async () => {
    const page = await open(report, "view=flame&rank=1&time=10000000-20000000");
    await page.getByText("Calls of rank 1; the inverted order, which combines all ranks, is hidden.").waitFor();
    await page.getByText("This file holds sums over all of the time").waitFor();
    expect(await page.getByRole("button", { name: "Inverted" }).count()).toBe(0);
    const box = (await page.locator(canvas).boundingBox())!;
    await page.mouse.click(box.x + box.width - 30, box.y + 30);
    await expect.poll(() => crumbs(page)).toEqual(["all", "rank 1"]);
    await picture(page, "flame-rank");
    await page.getByRole("button", { name: "All of the time", exact: true }).click();
    await expect.poll(() => page.getByText("This file holds sums").count()).toBe(0);
  });

  test("search and focus are in the address", async () => {
    const page = await open(report, "view=flame");
    const box = (await page.locator(canvas).boundingBox())!;
    await page.mouse.click(box.x + 30, box.y + 30);
    await expect.poll(() => crumbs(page)).toEqual(["all", "rank 1"]);
    await page.getByRole("searchbox", { name: /Search frames/ }).fill("aten::item");
    await expect.poll(() => page.evaluate(() => location.hash)).toContain("flame.query=aten");
    const hash = await page.evaluate(() => location.hash.slice(1));
    const again = await open(report, hash);
    await expect.poll(() => crumbs(again)).toEqual(["all", "rank 1"]);
    expect(await again.getByRole("searchbox", { name: /Search frames/ }).inputValue()).toBe("aten::item");
  });

  test("a kernel is found by the operators that launched it, and what is nowhere is said", async () => {
    const kernel = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_tn";
    const names = (json("report", TRAINING).sections.find((one) => one.id === "kernels")!.tables[0]!.rows).map((row) => String(row[0]));
    const name = names.find((one) => one.startsWith(kernel.slice(0, 30)))!;
    const page = await open(report, `view=roofline&select=${encodeURIComponent(name)}`);
    await expect.poll(() => page.locator(".filter-row").textContent()).toContain("Marked here: aten::");
    await expect.poll(() => page.locator(".plot .outline").count()).toBeGreaterThan(0);
    await picture(page, "related-roofline");
    await page.keyboard.press("4");
    await expect.poll(() => page.locator(".filter-row").textContent()).toMatch(/Marked here: |^(?!.*None of it)/);
    const nowhere = await open(report, "view=roofline&select=cudaEventSynchronize");
    await expect.poll(() => nowhere.locator(".filter-row").textContent()).toContain("None of it is among the points of the roofline");
    await nowhere.goto(`${report}#view=timeline&select=no_such_name`);
    await expect.poll(() => nowhere.locator(".filter-row").textContent()).toContain("None of it is among the slices of the timeline");
  });

  test("a time chosen in memory is the same in the timeline", async () => {
    const page = await open(report, "view=memory&rank=1");
    const over = page.locator(".memory .u-over");
    const box = (await over.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
    await page.mouse.up();
    const time = async () => /time=(\d+)-(\d+)/.exec(await page.evaluate(() => location.hash))?.slice(1).map(Number) ?? [];
    await expect.poll(async () => (await time()).length).toBe(2);
    const chosen = await time();
    const words = await page.locator(".memory .tools .quiet").first().textContent();
    await page.getByRole("button", { name: "Show in the timeline" }).click();
    await page.locator(".timeline-scroll canvas").waitFor();
    await expect.poll(time).toEqual(chosen);
    expect(words).toContain(" to ");
  });
});
