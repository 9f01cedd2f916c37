// Every view, light and dark, wide and narrow: it opens without a complaint, keeps nobody out, and nothing is wider than the page.

import { describe, expect, test } from "vitest";
import { difference, everything } from "./documents";
import { barriers, open, picture, recorded, TRAINING, useBrowser, write } from "./harness";

useBrowser();
const all = write("all", { ...recorded(TRAINING), document: everything() });
const diff = write("diff", { document: difference() });

/** Every view that there is, and the page that has something in it. */
const VIEWS = ["overview", "roofline", "timeline", "flame", "kernels", "memory", "communication", "compile", "sections", "query", "compare", "devices", "bench", "live"].map((view) => [view, view === "compare" ? diff : all] as const);

test("no view is without a test here", async () => {
  const page = await open(all);
  const tabs = await page.getByRole("tablist", { name: "Views" }).getByRole("tab").evaluateAll((found) => found.map((tab) => tab.id.replace("tab-", "")));
  expect(tabs).toEqual(VIEWS.map(([view]) => view));
});

describe.each(VIEWS)("%s", (view, address) => {
  test.each(["light", "dark"] as const)("%s", async (theme) => {
    const page = await open(address, `view=${view}`, { theme });
    await picture(page, `${view}-${theme}`);
    expect(await page.getByRole("tab", { selected: true }).first().textContent()).not.toBe("");
    expect(await barriers(page)).toEqual([]);
  });

  test.each([1280, 800, 390])("nothing is cut at %d pixels", async (width) => {
    const page = await open(address, `view=${view}`, { width, height: 800 });
    await picture(page, `${view}-${width}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(over).toBeLessThanOrEqual(0);
    const main = await page.evaluate(() => {
      const view = document.getElementById("view");
      return view ? view.scrollWidth - view.clientWidth : 0;
    });
    expect(main).toBeLessThanOrEqual(0);
  });
});
