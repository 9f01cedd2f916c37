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
/** The same with half of the memory of each row at the peak. */
const smaller: Document = {
  ...training,
  sections: training.sections.map((one) => (one.id !== "memory" ? one : { ...one, tables: one.tables.map((table) => ({ ...table, rows: table.rows.map((row) => row.map((value, at) => (table.columns[at]?.id === "bytes" ? Number(value) / 2 : value))) })) })),
};
const refused = /Failed to load resource|ERR_|404/;

async function started(more: Partial<Answers> = {}): Promise<Running> {
  running = await serve({ runs: [{ id: "1", title: "before" }, { id: "2", title: "after" }], documents: { 1: training, 2: training }, ...more });
  return running;
}

test.each([
  ["cut JSON", '{"schema":"eaves.report/1","sect', "This page is damaged"],
  ["another document", '{"schema":"other/1"}', "not an eaves document"],
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
  await page.getByText("this file contains the page without data").waitFor();
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
  await page.getByRole("combobox", { name: "Base" }).selectOption("1");
  await page.getByRole("combobox", { name: "New" }).selectOption("2");
  await page.getByRole("heading", { name: "Change per step" }).waitFor();
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

test("what messages of several sizes reached is a slope and a roof", async () => {
  // 10 us to start, 100 GB/s on the bus.
  const sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
  const time = (bytes: number) => 1e4 + bytes / 100;
  const columns = (...ids: string[]) => ids.map((id) => ({ id, title: id, unit: null }));
  const tables = [
    { id: "skew", columns: columns("kind", "group", "bytes", "collectives", "mean_transfer_ns", "bus_factor", "bus_gbps"), rows: sizes.map((bytes) => ["all_reduce", "0", bytes, 3, time(bytes), 1, bytes / time(bytes)]) },
    { id: "reached", columns: columns("name", "sizes", "bus_factor", "bandwidth_gbps", "startup_ns", "knee_bytes"), rows: [["all_reduce (0)", 6, 1, 1e8 / time(1e8), time(1e3), 1e6]] },
  ];
  const made: Document = { ...training, sections: [{ id: "collectives", title: "Collectives", numbers: [], findings: [], tables }] };
  const page = await open(write("reached", { document: made }), "view=communication");
  const line = page.getByRole("button", { name: "all_reduce, group 0 reached 99.01 GB/s, start-up at most 10.01 µs, explain" });
  await line.waitFor();
  await picture(page, "communication-reached");
  expect(await barriers(page)).toEqual([]);
  // No message is above the lines.
  const [corners, dots] = await page.evaluate(() => {
    const points = document.querySelector("polyline:nth-of-type(2)")!.getAttribute("points")!.split(" ").map((one) => one.split(",").map(Number) as [number, number]);
    const circles = [...document.querySelectorAll("circle")].map((one) => [Number(one.getAttribute("cx")), Number(one.getAttribute("cy"))] as [number, number]);
    return [points, circles] as const;
  });
  const roof = (x: number) => {
    const at = corners.findIndex(([from], index) => index > 0 && x <= from);
    const [[x1, y1], [x2, y2]] = [corners[at - 1]!, corners[at]!];
    return y1 + ((y2 - y1) * (x - x1)) / (x2 - x1);
  };
  expect(dots.length).toBe(6);
  for (const [x, y] of dots) expect(y).toBeGreaterThanOrEqual(roof(x) - 1);
  await line.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("Start-up, at most").waitFor();
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
  const grid = page.getByRole("grid", { name: "Device comparison" });
  await grid.getByText("amd-mi210").waitFor();
  // NVIDIA A100 datasheet: 312 TFLOP/s of bf16 with tensor cores, 2,039 GB/s of HBM2e.
  const text = (await grid.getByRole("row").nth(1).allTextContents()).join(" ");
  expect(text).toContain("312.00 TFLOP/s");
  expect(text).toContain("2,039.00 GB/s");
  await picture(page, "devices-server");
  expect(await barriers(page)).toEqual([]);
});

test("the peak of a run is compared with that of another one", async () => {
  const { address } = await started({ documents: { 1: smaller, 2: training } });
  const page = await open(address, "view=memory", { online: true, allow: refused });
  await page.getByLabel("Compare with").selectOption({ label: "before" });
  await page.getByText("more than before").waitFor();
  const row = page.getByRole("grid", { name: "In use at both peaks" }).getByRole("row").nth(1);
  expect(await row.textContent()).toContain("more");
});

test("points of the roofline have arrows from where they were in another run", async () => {
  const slower = structuredClone(training);
  for (const table of slower.sections.find((one) => one.id === "roofline")!.tables.filter((one) => one.id === "points")) {
    const [time, rate] = ["time_ns", "achieved_gflops"].map((id) => table.columns.findIndex((column) => column.id === id)) as [number, number];
    for (const row of table.rows) [row[time], row[rate]] = [Number(row[time]) * 2, Number(row[rate]) / 2];
  }
  const { address } = await started({ documents: { 1: slower, 2: training } });
  const page = await open(address, "view=roofline", { online: true, allow: refused });
  await page.getByLabel("Compare with").selectOption({ label: "before" });
  await page.getByText(/in both, 0 only here, 0 only there/).waitFor();
  await page.locator(".plot .moved").first().waitFor({ state: "attached" });
  expect(await page.locator(".plot text.better").first().textContent()).toBe("-50%");
  await picture(page, "roofline-compared");
  expect(await barriers(page)).toEqual([]);
  expect(new URLSearchParams(await page.evaluate(() => location.hash.slice(1))).get("roofline.base")).toBe("run 1");
});
