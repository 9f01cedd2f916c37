// What a server computes for the page: the rank and the time that are selected, another device, and every kind of input.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { duration, thousands } from "../../src/format";
import type { Document } from "../../src/source/document";
import { headline, rows } from "../../src/source/document";
import { barriers, open, picture, program, ROOT, run, TRAINING, useBrowser } from "./harness";
import { type Running, serve } from "./server";

useBrowser();
const json = (...parts: string[]) => JSON.parse(run(...parts, "--json")) as Document;
const MEASURED = join(ROOT, "examples/measurements");
const LOG = join(ROOT, "crates/cli/tests/cli/compile.log");

async function started(...inputs: string[]): Promise<[ChildProcess, string]> {
  const server = spawn(program(), ["serve", ...inputs, "--port", "0"], { cwd: ROOT });
  const address = await new Promise<string>((done, fail) => {
    let told = "";
    const hear = (bytes: Buffer) => {
      told += bytes.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(told);
      if (found) done(found[0]);
    };
    server.stdout!.on("data", hear);
    server.stderr!.on("data", hear);
    server.on("exit", () => fail(new Error(`the server ended: ${told}`)));
  });
  return [server, address];
}

const settled = (page: Page) => page.locator("#panel[aria-busy=false]").waitFor();

describe("a part of the recording", () => {
  let server: ChildProcess;
  let address = "";
  beforeAll(async () => ([server, address] = await started(TRAINING)));
  afterAll(() => void server?.kill());

  test("a time and a rank are applied to the tables, the numbers and the chart, as on the command line", async () => {
    const part = json("report", TRAINING, "--time", "10000000ns..20000000ns", "--rank", "1");
    const hash = "time=10000000-20000000&rank=1";
    const page = await open(address, `view=kernels&${hash}`, { online: true });
    const kernels = rows(part, "kernels", "by_name");
    await page.getByText(`${thousands(kernels.length)} rows`).first().waitFor();
    await settled(page);
    const calls = headline(part, "kernels", "calls")!;
    expect(await page.locator(".card", { hasText: "Calls" }).first().locator(".number").textContent()).toBe(thousands(Number(calls.value)));
    await picture(page, "part-kernels");
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${address}#view=roofline&${hash}`);
    await page.locator(".point-none").getByText(duration(Number(headline(part, "roofline", "headroom_ns")!.value))).waitFor();
    await picture(page, "part-roofline");
    await page.goto(`${address}#view=overview&${hash}`);
    const idle = headline(part, "temporal-breakdown", "idle_pct", 1)!;
    await expect.poll(() => page.locator(".card", { hasText: "GPU idle" }).textContent()).toContain(`${Number(idle.value).toFixed(1)}%`);
    // All steps of the rank are there to choose another one.
    expect(await page.getByRole("button", { name: /^Step / }).count()).toBe(rows(json("report", TRAINING), "steps", "by_step").filter((row) => row.rank === 1).length);
    await picture(page, "part-overview");
    // All of it again.
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("combobox", { name: "Rank" }).selectOption("");
    await expect.poll(() => page.locator(".card", { hasText: "GPU idle" }).locator(".number").count()).toBe(2);
  });

  test("step trails go through what each step is on the command line", async () => {
    const page = await open(address, "view=roofline&roofline.steps=yes&select=aten%3A%3Aaddmm", { online: true });
    const places = page.locator(".plot .step-place").first();
    // A circle for each of the three steps.
    await expect.poll(async () => ((await places.getAttribute("d")) ?? "").match(/z/g)?.length).toBe(3);
    const heights = ((await places.getAttribute("d")) ?? "").split("z").filter(Boolean).map((one) => Number(/^M\S+ ([\d.]+)a/.exec(one)![1]));
    // The largest of its points in each step, by the command line: the faster a step, the higher its place.
    const rates = [3, 4, 5].map((step) => {
      const points = rows(json("roofline", TRAINING, "--step", String(step)), "roofline", "points").filter((row) => row.name === "aten::addmm");
      return Number(points.find((row) => String(row.record).startsWith("16000 bf16, 8192x768"))!.achieved_gflops);
    });
    const order = (values: number[], way: number) => values.map((_, at) => at).sort((a, b) => way * (values[a]! - values[b]!));
    expect(order(heights, 1)).toEqual(order(rates, -1));
    await picture(page, "roofline-steps");
    expect(await barriers(page)).toEqual([]);
  });

  test("a command that is copied is of what is seen", async () => {
    const page = await open(address, "view=kernels&time=10000000-20000000&rank=1", { online: true });
    await settled(page);
    await page.getByRole("button", { name: "Export kernels-by_name" }).click();
    await page.getByRole("menuitem", { name: "Copy command line" }).click();
    await page.getByText("copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("--rank 1 --time 10000000ns..20000000ns");
  });

  test("a finding leads to the rank it speaks of", async () => {
    const page = await open(address, "view=overview", { online: true });
    await page.locator(".finding", { hasText: "wait for rank 1" }).getByRole("button", { name: "Communication view" }).click();
    await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/view=communication.*rank=1/);
  });
});

describe("inputs of every kind", () => {
  let server: ChildProcess;
  let address = "";
  beforeAll(async () => ([server, address] = await started(LOG, join(MEASURED, "commands.json"), join(MEASURED, "kernels.csv"))));
  afterAll(() => void server?.kill());

  test("a log of a compiler fills the compile view, and what stands out is said", async () => {
    const page = await open(`${address}?run=1`, "view=compile", { online: true });
    await page.getByRole("tablist", { name: "Compilation summary" }).waitFor();
    await picture(page, "input-compile");
    await page.keyboard.press("1");
    await page.locator(".card", { hasText: "Graph breaks" }).waitFor();
  });

  test.each([["2", "commands"], ["3", "a kernel table"]])("run %s, %s, is a roofline", async (id) => {
    const page = await open(`${address}?run=${id}`, "view=roofline", { online: true });
    const empty = page.locator(".empty");
    await page.locator(".plot").or(empty).first().waitFor();
    // A table of kernels names no device: one is chosen here.
    if (await empty.count()) await page.getByRole("combobox", { name: "Device" }).selectOption("nvidia-h100-sxm");
    await page.locator(".plot .mark").first().waitFor();
    // Integers have operations, none of them floating.
    if (id === "2") expect(await page.locator(".plot").textContent()).toContain("32 TOP/s");
    await picture(page, `input-roofline-${id}`);
    expect(await barriers(page)).toEqual([]);
  });
});

describe("no device was recorded", () => {
  let running: Running | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  test("the roofline asks for one, and is drawn for it", async () => {
    const report = json("report", TRAINING);
    const without: Document = {
      ...report,
      sections: report.sections.filter((one) => !["roofline", "comm-roofline"].includes(one.id)),
      skipped: [{ id: "roofline", missing: "the name of the device, which was not recorded", how_to_record: "name the device with `--device`" }],
    };
    running = await serve({ runs: [{ id: "1", title: "one" }], documents: { 1: without }, rooflines: { 1: json("roofline", TRAINING, "--device", "nvidia-a100-sxm-80") }, devices: json("device", "list") });
    const page = await open(running.address, "view=roofline", { online: true });
    await page.getByText("Not available in this recording: the name of the device, which was not recorded. Name the device with --device.").waitFor();
    await picture(page, "roofline-without-device");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Device" }).selectOption("nvidia-a100-sxm-80");
    await page.locator(".plot .mark").first().waitFor();
    expect(await page.evaluate(() => location.hash)).toContain("roofline.device=nvidia-a100-sxm-80");
  });
});

/** Drops files on an element, as a hand does. */
async function drop(page: Page, selector: string, files: readonly string[]): Promise<void> {
  const contents = files.map((file) => ({ name: basename(file), text: readFileSync(file).toString("base64") }));
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const { name, text } of all) transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
    return transfer;
  }, contents);
  await page.dispatchEvent(selector, "drop", { dataTransfer: data });
}

test("a server without a run is a place to begin: a path, files, and the runs that there are", async () => {
  const [server, address] = await started();
  try {
    const page = await open(address, "", { online: true, allow: /404|422|400/ });
    await page.getByRole("heading", { name: "Open a recording" }).waitFor();
    expect(await page.getByRole("tablist", { name: "Views" }).getByRole("tab").allTextContents()).toEqual(["Devices", "Bench", "Live", "Open"]);
    await picture(page, "start");
    expect(await barriers(page)).toEqual([]);
    // What cannot be read is said, and the page stays.
    await page.getByLabel("Path on the server's machine").fill("nowhere/at/all");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("alert").getByText("nowhere/at/all").waitFor();
    await page.getByLabel("Path on the server's machine").fill(join(ROOT, "examples/healthy"));
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("tab", { name: "Overview", selected: true }).waitFor();
    // Two files at once are one run of two ranks.
    await page.keyboard.press("]");
    await page.evaluate(() => (location.hash = "view=open"));
    const slower = [0, 1].map((rank) => join(ROOT, `examples/communication-bound/rank${rank}.json.gz`));
    await page.locator(".drop").waitFor();
    await drop(page, ".drop", slower);
    await page.getByRole("tab", { name: "Overview", selected: true }).waitFor();
    await page.getByText("ranks 0-1").waitFor();
    // On a timeline, a file is something to compare with.
    await page.evaluate(() => (location.hash = "view=timeline"));
    await page.locator(".timeline-scroll canvas").waitFor();
    await drop(page, ".timeline", [slower[0]!]);
    await page.getByRole("note").filter({ hasText: "Both begin at step" }).waitFor();
    await page.evaluate(() => (location.hash = "view=open"));
    await expect.poll(() => page.locator(".runs li").count()).toBe(3);
    await picture(page, "start-runs");
  } finally {
    server.kill();
  }
});
