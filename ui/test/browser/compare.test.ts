// Two runs in pictures: the flame graph of the differences and timelines side by side, of the real server and in a file.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { barriers, open, page as written, picture, ROOT, useBrowser, useServer } from "./harness";

useBrowser();
const HEALTHY = join(ROOT, "examples/healthy");
const SLOWER = join(ROOT, "examples/communication-bound");
const plot = ".timeline-scroll canvas";
const hash = async (page: Page) => new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));

describe("a server with two runs", () => {
  const served = useServer(HEALTHY, SLOWER);

  test.each(["light", "dark"] as const)("the flame graph is of the differences, %s", async (theme) => {
    const page = await open(served.address, "view=flame", { online: true, theme });
    await page.getByRole("list", { name: "Colors" }).getByText("operator").first().waitFor();
    await page.getByLabel("Compare with").selectOption({ label: "healthy" });
    await page.getByText("more than before").waitFor();
    expect((await hash(page)).get("base")).toBe("run 1");
    // A comparison is of all of the time, and says so.
    await page.getByRole("button", { name: "Before" }).click();
    await page.getByRole("button", { name: "Both" }).click();
    await picture(page, `compare-flame-${theme}`);
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${served.address}#view=flame&base=run+1&rank=0&time=1000000-2000000`);
    await page.getByText("Calls of rank 0. Comparisons cover the whole time").waitFor();
    // Back to one run.
    await page.getByLabel("Compare with").selectOption({ label: "nothing" });
    await page.getByText("more than before").waitFor({ state: "detached" });
  });

  test.each(["light", "dark"] as const)("timelines begin at one step, %s", async (theme) => {
    const page = await open(served.address, "view=timeline&base=run+1", { online: true, theme });
    const note = page.getByRole("note");
    await note.filter({ hasText: /^Both begin at step \d+: it takes [\d.]+ ms, [\d.]+ ms in the base, \+/ }).waitFor();
    await page.locator(plot).waitFor();
    await picture(page, `compare-timeline-${theme}`);
    expect(await barriers(page)).toEqual([]);
    const before = await note.textContent();
    const steps = await page.getByLabel("Align").locator("option").allTextContents();
    expect(steps[0]).toBe("middle step");
    // The comparison leaves out the first step, which warms up: this one takes more than three times as long, as there.
    expect(before).toMatch(/^Both begin at step 5: it takes 37\.79 ms, 11\.10 ms in the base/);
    await page.getByLabel("Align").selectOption({ label: steps.at(-1)! });
    await expect.poll(() => note.textContent()).not.toBe(before);
    await picture(page, `compare-timeline-last-${theme}`);
  });

  test("tracks, searches and areas are of both runs", async () => {
    const page = await open(served.address, "view=timeline&base=run+1&rank=0", { online: true });
    await page.getByRole("note").waitFor();
    await page.getByRole("button", { name: /^Tracks/ }).click();
    const tracks = await page.locator(".tracks li span").allTextContents();
    expect(tracks.filter((title) => title.startsWith("base rank 0")).length).toBe(tracks.filter((title) => title.startsWith("rank 0")).length);
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: /Search slices/ }).fill("gemm");
    await page.getByText(/found/).waitFor();
    // Both are searched in order of time, so that some of the first are of the base.
    const where = page.locator(".timeline-details dt:text-is('On') + dd");
    const seen = new Set<string>();
    for (let shown = 1; shown <= 8; shown++) {
      await page.keyboard.press("Enter");
      await page.getByText(`, ${shown} shown`).waitFor();
      seen.add(/(base )?rank \d+$/.exec((await where.textContent()) ?? "")?.[0] ?? "");
    }
    expect(seen).toContain("base rank 0");
    expect(seen).toContain("rank 0");
    await page.keyboard.press("Escape");
    await page.locator(plot).focus();
    await page.keyboard.press("0");
    // A drag over the axis sums both runs, each by itself.
    const box = (await page.locator(plot).boundingBox())!;
    await page.mouse.move(box.x + 240, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 900, box.y + 8, { steps: 4 });
    await page.mouse.up();
    const cells = page.locator(".timeline-details tbody");
    await cells.getByText("base", { exact: true }).first().waitFor();
    await cells.getByText("new", { exact: true }).first().waitFor();
    await picture(page, "compare-timeline-area");
  });

  test("a loss is called a loss, and more idle time no speed", async () => {
    const page = await open(served.address, "view=compare", { online: true });
    // With two runs there is nothing to choose.
    await page.getByRole("heading", { name: "Change per step" }).waitFor();
    expect(await page.getByRole("combobox", { name: "Base" }).inputValue()).toBe("1");
    expect(await page.getByRole("combobox", { name: "New" }).inputValue()).toBe("2");
    const finding = page.locator(".finding", { hasText: "a step takes 37.46 ms instead of 10.63 ms".replace("a step", "") });
    expect(await finding.locator(".worse").textContent()).toMatch(/^lost: 24\.09 ms to 26\.82 ms per step$/);
    expect(await page.locator(".finding .gain").count()).toBe(0);
    const chart = page.getByRole("group", { name: "Changes per step" });
    expect(await chart.getByRole("button", { name: /^Idle/ }).getAttribute("aria-label")).toBe("Idle -35.94 µs (-56.8%) less");
    // Bars are as long as what was lost: 29.81 ms are longer than 26.82 ms, whatever the percentages.
    const bar = (name: RegExp) => chart.getByRole("button", { name }).locator("rect[rx]").evaluate((one) => one.getBoundingClientRect().width);
    const [step, exposed, kernels] = [await bar(/^Step/), await bar(/^Exposed comm/), await bar(/^Kernels time/)];
    expect(Math.abs(exposed / step - 26.88 / 26.82)).toBeLessThan(0.01);
    expect(Math.abs(kernels / step - 29.81 / 26.82)).toBeLessThan(0.01);
    // No words are cut.
    const box = (await chart.boundingBox())!;
    for (const text of await chart.locator("text").all()) {
      const own = (await text.boundingBox())!;
      expect(own.x + own.width).toBeLessThanOrEqual(box.x + box.width + 1);
    }
    await picture(page, "compare-words");
    expect(await barriers(page)).toEqual([]);
  });

  test("the comparison leads to both", async () => {
    const page = await open(served.address, "view=compare&compare.base=1&compare.new=2", { online: true });
    await page.getByRole("link", { name: "Timelines of both runs" }).waitFor();
    await picture(page, "compare-links");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("link", { name: "Differential flame graph" }).click();
    await page.getByText("more than before").waitFor();
    expect((await hash(page)).get("view")).toBe("flame");
    expect(new URL(page.url()).searchParams.get("run")).toBe("2");
  });

  test("a narrow screen shows all of it", async () => {
    const page = await open(served.address, "view=timeline&base=run+1", { online: true, width: 390, height: 800 });
    await page.getByRole("note").waitFor();
    await picture(page, "compare-timeline-390");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });
});

test("a file that compares holds both pictures", async () => {
  const address = written("compare-file", "diff", HEALTHY, SLOWER);
  const page = await open(address);
  await page.getByRole("button", { name: "Differential flame graph" }).click();
  await page.getByText("more than before").waitFor();
  await picture(page, "compare-file-flame");
  await page.getByRole("tab", { name: "Timeline" }).click();
  await page.getByRole("note").filter({ hasText: "Both begin at step" }).waitFor();
  await picture(page, "compare-file-timeline");
  expect(await barriers(page)).toEqual([]);
});

test("a file of saved reports says what it lacks", async () => {
  const before = written("compare-before", "report", HEALTHY);
  const address = written("compare-saved", "diff", new URL(before).pathname, SLOWER);
  const page = await open(address);
  await page.getByText("saved reports do not").waitFor();
  expect(await page.getByRole("tab", { name: "Flame" }).count()).toBe(0);
});
