// The pages of `eaves flame`, `eaves timeline` and `eaves roofline`: each opens at its own view, has what the older pages had, and can
// be read where no program may run.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { barriers, newContext, open, page, picture, ROOT, scratch, TRAINING, useBrowser } from "./harness";

useBrowser();
const [first, second] = [join(TRAINING, "rank0.json.gz"), join(TRAINING, "rank1.json.gz")];
const examples = join(ROOT, "examples/measurements");
const pages = {
  flame: page("verb-flame", "flame", TRAINING, "--metric", "gpu", "--order", "inverted"),
  timeline: page("verb-timeline", "timeline", TRAINING),
  roofline: page("verb-roofline", "roofline", "--pair", `peaks=${join(examples, "peaks.yaml")},input=${join(examples, "kernels.csv")}`, "--pair", `peaks=${join(examples, "npu_config.json")},input=${join(examples, "commands.json")}`),
  diff: page("verb-diff", "diff", first, second),
  difference: page("verb-difference", "flame", second, "--diff", first),
} as const;

/** What views draw with. */
const DRAWN = "canvas, .plot > svg, svg.chart";

const tabs = (opened: Page) => opened.getByRole("tablist", { name: "Views" }).getByRole("tab").allTextContents();
const view = (opened: Page) => opened.getByRole("tablist", { name: "Views" }).getByRole("tab", { selected: true }).textContent();

describe.each(Object.entries(pages))("%s", (name, address) => {
  test.each(["light", "dark"] as const)("opens at its view, %s", async (theme) => {
    const opened = await open(address, "", { theme });
    await opened.waitForSelector(DRAWN);
    expect(await view(opened)).toBe({ flame: "Flame", diff: "Compare", difference: "Flame", timeline: "Timeline", roofline: "Roofline" }[name]);
    // Nothing but what there is something for.
    const others: Record<string, string[]> = { roofline: ["Roofline", "All sections", "Devices"], diff: ["Timeline", "Flame", "All sections", "Compare"] };
    expect(await tabs(opened)).toEqual(others[name] ?? [await view(opened), "All sections"]);
    await picture(opened, `verb-${name}-${theme}`);
    expect(await barriers(opened)).toEqual([]);
  });

  test("is a drawing and tables where no program may run", async () => {
    const opened = await newContext({ javaScriptEnabled: false }).then((context) => context.newPage());
    await opened.goto(address);
    // A comparison has nothing but tables.
    const drawing = opened.locator(name === "diff" ? "#eaves-read table" : "#eaves-read figure svg").first();
    await drawing.waitFor();
    // To be seen at once, not below an empty screen.
    const box = (await drawing.boundingBox())!;
    expect(box.y).toBeLessThan(700);
    // All of it, in the room that there is.
    const room = (await opened.locator("#eaves-read main").boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(room.x + room.width + 1);
    expect(await opened.locator("#eaves-read table tr").count()).toBeGreaterThan(2);
    expect(await opened.evaluate(() => document.documentElement.scrollWidth - innerWidth).catch(() => 0)).toBeLessThanOrEqual(0);
    await opened.screenshot({ path: join(process.env.SCREENSHOTS ?? scratch, `verb-${name}-still.png`) });
    await opened.context().close();
  });

  test("works inside a notebook, in a frame that may reach nothing", async () => {
    const inner = readFileSync(fileURLToPath(address), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const outer = join(scratch, `notebook-${name}.html`);
    writeFileSync(outer, `<!doctype html><html lang="en"><title>notebook</title><body><div id="app"><p>A notebook</p></div><iframe title="page" sandbox="allow-scripts allow-downloads" style="width:1000px;height:600px" srcdoc="${inner}"></iframe></body></html>`);
    const opened = await open(pathToFileURL(outer).href);
    const frame = opened.frameLocator("iframe");
    await frame.locator(DRAWN).first().waitFor();
    await frame.getByRole("tab", { name: "All sections" }).click();
    await frame.getByRole("tab", { name: "All sections", selected: true }).waitFor();
  });
});

test("a flame graph begins with what was asked for", async () => {
  const opened = await open(pages.flame);
  for (const name of ["Inverted", "GPU time"]) await opened.getByRole("button", { name, pressed: true }).waitFor();
});

test("a difference says of what it is", async () => {
  const opened = await open(pages.difference);
  await opened.getByText("compared with").first().waitFor();
  await opened.getByRole("button", { name: "Before" }).waitFor();
});

test("a roofline has the colours that it was made with, until somebody chooses others", async () => {
  const commands = join(examples, "commands.json");
  const address = page("verb-painted", "roofline", commands, "--config", join(examples, "npu_config.json"), "--palette", "classic", "--theme", "dark");
  const opened = await open(address, "", { theme: "light" });
  await opened.waitForSelector(DRAWN);
  const theme = () => opened.evaluate(() => document.documentElement.dataset.theme);
  const marks = () => opened.locator(".swatch").evaluateAll((all) => all.map((one) => (one as HTMLElement).style.getPropertyValue("--mark")));
  expect(await theme()).toBe("dark");
  expect(await opened.getByLabel("Palette").inputValue()).toBe("classic");
  expect((await marks()).some((mark) => mark.includes("--classic-"))).toBe(true);
  await picture(opened, "verb-painted");
  await opened.getByLabel("Palette").selectOption("safe");
  expect((await marks()).some((mark) => mark.includes("--classic-"))).toBe(false);
  const typed = await open(page("verb-painted-types", "roofline", commands, "--config", join(examples, "npu_config.json"), "--color-by", "dtype"));
  expect(await typed.getByLabel("Color by").inputValue()).toBe("dtype");
  await typed.getByLabel("Color by").selectOption("status");
  expect(await typed.getByLabel("Color by").inputValue()).toBe("status");
});

test("the summary of a roofline follows what is changed under Adjust", async () => {
  const address = page("verb-adjusted", "roofline", join(examples, "commands.json"), "--config", join(examples, "npu_config.json"));
  const opened = await open(address);
  await opened.waitForSelector(DRAWN);
  const summary = () => opened.locator(".point-none").textContent();
  const before = await summary();
  expect(before).toContain("0 above their roof");
  // A tenth of the bandwidth: what was reached is more than that.
  await opened.evaluate(() => (location.hash = `${location.hash}&roofline.rate.HBM=5`));
  await expect.poll(summary).not.toContain(" 0 above their roof");
  await expect.poll(summary).not.toBe(before);
});
