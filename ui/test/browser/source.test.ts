// Where the data comes from, and what the page says when it does not come.

import { afterEach, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { difference } from "./documents";
import { barriers, open, picture, run, TRAINING, useBrowser, write } from "./harness";
import { type Answers, type Running, serve } from "./server";

useBrowser();
let running: Running | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const json = (...parts: string[]) => JSON.parse(run(...parts, "--json")) as Document;
const training = json("report", TRAINING);
const refused = /Failed to load resource|ERR_|404/;

async function started(more: Partial<Answers> = {}): Promise<Running> {
  running = await serve({ runs: [{ id: "1", title: "before" }, { id: "2", title: "after" }], documents: { 1: training, 2: training }, ...more });
  return running;
}

test.each([
  ["cut JSON", '{"schema":"eaves.report/1","sect', "This page is damaged"],
  ["another document", '{"schema":"other/1"}', "no document of eaves"],
  ["nothing", " ", "This page is damaged"],
])("a page with %s says so", async (_, document, words) => {
  const page = await open(write("damaged", { document }));
  await page.getByText(words).first().waitFor();
  await page.getByText("Write it again").waitFor();
  expect(await barriers(page)).toEqual([]);
  await picture(page, "damaged");
});

test("a comparison begins with what changed, unless the address asks for another view", async () => {
  const address = write("compared", { document: difference() });
  const page = await open(address);
  const tabs = page.getByRole("tablist", { name: "Views" });
  await tabs.getByRole("tab", { name: "Compare", selected: true }).waitFor();
  const asked = await open(address, "view=sections");
  await asked.getByRole("tablist", { name: "Views" }).getByRole("tab", { name: "All sections", selected: true }).waitFor();
});

test("a file without data says so", async () => {
  const page = await open(write("empty", {}));
  await page.getByText("this file holds no data").waitFor();
});

test("a server without this run says so in its own words", async () => {
  const { address } = await started();
  const page = await open(`${address}?run=77`, "", { online: true, allow: refused });
  await page.getByText("there is nothing at /api/v1/runs/77/document; the runs are at /api/v1/runs").waitFor();
  await page.getByText("Show the newest run").waitFor();
});

test("a server that is gone is told", async () => {
  const { address } = await started();
  const page = await open(address, "", { online: true, allow: refused });
  await page.getByRole("tab", { name: "Overview" }).waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await page.reload();
  await page.getByText("No server answers").waitFor();
  await picture(page, "no-server");
});

test("a run that changed is shown as it is now, and what is selected stays", async () => {
  const documents: Record<string, Document> = { 1: training, 2: training };
  const server = await started({ documents });
  const page = await open(server.address, "view=kernels&select=some+kernel&rank=1", { online: true });
  await server.heard();
  const changed = structuredClone(training);
  const kernels = changed.sections.find((section) => section.id === "kernels");
  const names = kernels?.numbers.find((number) => number.id === "names");
  if (names) names.value = 4711;
  documents[2] = changed;
  server.tell("run");
  await page.getByText("4,711").waitFor();
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).getAll("select")).toEqual(["some kernel"]);
  expect(await page.getByRole("combobox", { name: "Rank" }).inputValue()).toBe("1");
  expect(await page.getByRole("tab", { name: "Kernels" }).first().getAttribute("aria-selected")).toBe("true");
});

test("another run is opened by the picker, with its own address", async () => {
  const { address } = await started();
  const page = await open(address, "view=kernels", { online: true });
  await page.getByRole("combobox", { name: "Run" }).selectOption("1");
  await page.waitForURL(/\?run=1#/);
  await page.getByRole("tab", { name: "Kernels" }).first().waitFor();
});

test("two runs of the server are compared", async () => {
  const { address } = await started({ diffs: { "2<1": difference() } });
  const page = await open(address, "view=compare", { online: true, allow: refused });
  await page.getByLabel("Base").selectOption("1");
  await page.getByLabel("New").selectOption("2");
  await page.getByRole("heading", { name: "The runs in sum" }).waitFor();
  await page.getByRole("button", { name: "Beyond noise" }).click();
  const rows = await page.getByRole("grid").first().getByRole("row").allTextContents();
  for (const row of rows.slice(1)) expect(row).not.toMatch(/noise|unchanged/);
  await picture(page, "compare-server");
  await page.getByRole("button", { name: "Swap" }).click();
  await page.getByText("These runs cannot be compared").waitFor();
});

test("messages are drawn against the links that the server knows", async () => {
  const { address } = await started({ rooflines: { 2: json("roofline", TRAINING, "--device", "nvidia-a100-sxm-80") } });
  const page = await open(address, "view=communication", { online: true });
  // NVIDIA A100 datasheet: 600 GB/s of NVLink in both directions together, so 300 in one.
  await page.getByRole("button", { name: "NVLink3 300.00 GB/s, explain" }).click();
  const text = await page.getByRole("dialog").textContent();
  expect(text).toContain("282.35 GB/s");
});

test("a chart that comes late is as wide as its panel, and what is not known is said", async () => {
  const alone = `${TRAINING}/rank0.json.gz`;
  const { address } = await started({ documents: { 2: json("report", alone) }, rooflines: { 2: json("roofline", alone, "--device", "nvidia-a100-sxm-80") } });
  const page = await open(address, "view=communication", { online: true });
  const chart = page.getByRole("group", { name: "Bus bandwidth by message size" });
  await chart.waitFor();
  await page.waitForFunction(() => {
    const drawn = document.querySelector("[aria-label='Bus bandwidth by message size']");
    return drawn && drawn.getBoundingClientRect().width === drawn.parentElement?.clientWidth;
  });
  await page.getByText("Not known:").waitFor();
});

test("devices of the server are listed and put side by side", async () => {
  const ids = ["nvidia-a100-sxm-80", "amd-mi210"];
  const { address } = await started({ devices: json("device", "list"), device: Object.fromEntries(ids.map((id) => [id, json("device", "show", id)])) });
  const page = await open(address, "view=devices", { online: true });
  for (const id of ids) await page.getByLabel("Add").selectOption(id);
  const grid = page.getByRole("grid", { name: "Devices side by side" });
  await grid.getByText("amd-mi210").waitFor();
  // NVIDIA A100 datasheet: 312 TFLOP/s of bf16 with tensor cores, 2,039 GB/s of HBM2e.
  const text = (await grid.getByRole("row").nth(1).allTextContents()).join(" ");
  expect(text).toContain("312.00 TFLOP/s");
  expect(text).toContain("2,039.00 GB/s");
  await picture(page, "devices-server");
  expect(await barriers(page)).toEqual([]);
});
