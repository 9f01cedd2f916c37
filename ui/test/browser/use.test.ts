// What people do with the page: keys, palette, theme, links, selection, explanations, exports.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Document, Table } from "../../src/source/document";
import { barriers, open, picture, recorded, TRAINING, useBrowser, write } from "./harness";

useBrowser();
const data = recorded(TRAINING);
const training = write("training", data);
const document_ = data.document as Document;

function table(section: string, id: string): Table {
  const found = document_.sections.find((one) => one.id === section)?.tables.find((one) => one.id === id);
  if (!found) throw new Error(`no table ${id} of ${section}`);
  return found;
}

const kernels = table("kernels", "by_name");
const nameAt = kernels.columns.findIndex((column) => column.id === "name");
const callsAt = kernels.columns.findIndex((column) => column.id === "calls");
const hash = async (page: { url(): string }) => new URLSearchParams(new URL(page.url()).hash.slice(1));

test("digits open views, brackets go on, the browser goes back", async () => {
  const page = await open(training);
  await page.keyboard.press("2");
  const second = await page.getByRole("tablist", { name: "Views" }).getByRole("tab", { selected: true }).textContent();
  const tabs = await page.getByRole("tablist", { name: "Views" }).getByRole("tab").allTextContents();
  expect(second).toBe(tabs[1]);
  await page.keyboard.press("]");
  expect(await page.getByRole("tablist", { name: "Views" }).getByRole("tab", { selected: true }).textContent()).toBe(tabs[2]);
  await page.goBack();
  expect(await page.getByRole("tablist", { name: "Views" }).getByRole("tab", { selected: true }).textContent()).toBe(tabs[1]);
});

test("the help lists every key of the page and closes with Escape", async () => {
  const page = await open(training);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  for (const text of ["Commands and names", "Light or dark", "Kernels", "Row"]) await help.getByText(text, { exact: true }).waitFor();
  expect(await barriers(page)).toEqual([]);
  await picture(page, "help");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
});

test.each(["Control+K", ":"])("the palette opens by %s, finds a view, a table and a name", async (key) => {
  const page = await open(training);
  await page.keyboard.press(key);
  const field = page.getByRole("combobox", { name: "Command, view, table or name" });
  await field.fill("comm");
  await picture(page, "palette");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("view=communication"));
  await page.keyboard.press(key);
  const name = String(kernels.rows[1]?.[nameAt]);
  await field.fill(name);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("select="));
  expect((await hash(page)).getAll("select")).toEqual([name]);
});

test("the theme follows the system until somebody chooses, and the choice is in the address", async () => {
  const page = await open(training, "", { theme: "dark" });
  const shown = () => page.evaluate(() => document.documentElement.dataset.theme);
  expect(await shown()).toBe("dark");
  await page.getByRole("combobox", { name: "Theme" }).selectOption("light");
  expect(await shown()).toBe("light");
  expect((await hash(page)).get("theme")).toBe("light");
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("Shift+T");
  expect(await shown()).toBe("dark");
});

test("a link opens the page as it was: view, selection, rank, sorting, filter", async () => {
  const name = String(kernels.rows[2]?.[nameAt]);
  const wanted = new URLSearchParams({ view: "kernels", select: name, rank: "1", "kernels.by_rank_and_name.sort": "calls", "kernels.by_rank_and_name.filter": "calls>1" });
  const page = await open(training, wanted.toString());
  expect(await page.getByRole("combobox", { name: "Rank" }).inputValue()).toBe("1");
  const grid = page.getByRole("grid").first();
  expect(await grid.getByRole("row", { selected: true }).count()).toBeGreaterThan(0);
  const ofRank = table("kernels", "by_rank_and_name");
  const calls = ofRank.rows.filter((row) => row[0] === 1 && Number(row[ofRank.columns.findIndex((column) => column.id === "calls")]) > 1);
  expect(await page.getByRole("status").first().textContent()).toBe(`${calls.length} of ${ofRank.rows.length} rows`);
  expect(await grid.getAttribute("aria-rowcount")).toBe(String(calls.length + 1));
  expect(await grid.getByRole("columnheader", { name: "Calls" }).getAttribute("aria-sort")).toBe("ascending");
});

test("a name is selected in the table, in the strip, in another view, and let go by Escape", async () => {
  const page = await open(training, "view=kernels");
  const grid = page.getByRole("grid").first();
  const name = String(kernels.rows[0]?.[nameAt]);
  await grid.getByRole("row").nth(1).getByRole("gridcell").first().click();
  await page.waitForFunction(() => location.hash.includes("select="));
  expect((await hash(page)).getAll("select")).toEqual([name]);
  expect(await page.locator(".segment.chosen").count()).toBe(1);
  await picture(page, "selected");
  await page.locator(".segment").nth(2).click({ modifiers: ["Control"] });
  await page.waitForFunction(() => location.hash.split("select=").length === 3);
  expect(await grid.getByRole("row", { selected: true }).count()).toBe(2);
  expect(await page.getByRole("group", { name: "Selected names" }).getByRole("listitem").count()).toBe(2);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !location.hash.includes("select="));
});

test("the search field selects all that have the letters", async () => {
  const page = await open(training);
  await page.keyboard.press("/");
  await page.keyboard.type("ncclDevKernel");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("select="));
  for (const name of (await hash(page)).getAll("select")) expect(name).toContain("ncclDevKernel");
});

test("a table is sorted, filtered and walked by keyboard, and a number explains itself", async () => {
  const page = await open(training, "view=kernels");
  const grid = page.getByRole("grid").first();
  await grid.getByRole("button", { name: /^Calls/ }).click();
  const most = Math.max(...kernels.rows.map((row) => Number(row[callsAt])));
  const heads = await grid.getByRole("columnheader").allTextContents();
  const callsShown = heads.findIndex((text) => text.startsWith("Calls"));
  const first = () => grid.getByRole("row").nth(1).getByRole("gridcell").nth(callsShown).textContent();
  expect(await first()).toBe(String(most));
  await grid.getByRole("button", { name: /^Calls/ }).click();
  expect(await first()).toBe(String(Math.min(...kernels.rows.map((row) => Number(row[callsAt])))));
  await grid.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  expect(await grid.getByRole("row", { selected: true }).count()).toBe(1);
  for (let step = 0; step < callsShown; step++) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "About Calls" });
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain("kernels/by_name");
  await picture(page, "explained");
  expect(await barriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  // The focus is back where it was, so that the keyboard goes on.
  expect(await grid.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("a headline number says its formula, its source and every digit, and leads to its section", async () => {
  const page = await open(training);
  const breakdown = document_.sections.find((one) => one.id === "temporal-breakdown");
  const idle = breakdown?.numbers.find((one) => one.id === "idle_pct" && one.rank === 0);
  await page.getByRole("button", { name: /^GPU idle|^Idle: 3.8%/ }).first().click();
  const dialog = page.getByRole("dialog");
  const text = (await dialog.textContent()) ?? "";
  expect(text).toContain(idle?.explain ?? "?");
  expect(text).toContain(String(idle?.value));
  expect(text).toContain("formula");
  await dialog.getByRole("button", { name: breakdown?.title ?? "?" }).click();
  await page.waitForFunction(() => location.hash.includes("view=sections"));
  expect(await page.getByRole("heading", { name: breakdown?.title ?? "?" }).count()).toBeGreaterThan(0);
});

test("a finding leads to its evidence", async () => {
  const page = await open(training);
  expect(await page.locator(".finding").count()).toBe(document_.sections.reduce((sum, section) => sum + section.findings.length, 0));
  await page.locator(".finding").getByRole("button", { name: "Stragglers" }).first().click();
  await page.waitForFunction(() => location.hash.includes("sections.open=stragglers"));
  expect(await page.getByRole("grid").first().getAttribute("aria-label")).toBe(table("stragglers", "by_rank").title);
});

test("a step is looked at in every view", async () => {
  const page = await open(training);
  const steps = table("steps", "by_step");
  await page.getByRole("button", { name: /^Step 4 .*rank 1/ }).click();
  await page.waitForFunction(() => location.hash.includes("time="));
  const row = steps.rows.find((one) => one[0] === 1 && one[1] === 4);
  expect((await hash(page)).get("time")).toBe(`${row?.[2]}-${Number(row?.[2]) + Number(row?.[3])}`);
  await page.getByRole("button", { name: /^Step 4 .*rank 1/ }).click();
  await page.waitForFunction(() => !location.hash.includes("time="));
});

test("tables and charts leave the page: CSV, JSON, SVG, PNG, command", async () => {
  const page = await open(training, "view=kernels");
  const menu = async (button: string, item: string) => {
    await page.getByRole("button", { name: `Export ${button}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const saved = async (button: string, item: string) => {
    const waiting = page.waitForEvent("download");
    await menu(button, item);
    const download = await waiting;
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const csv = await saved("kernels-by_name", "Save as CSV");
  expect(csv.name).toBe("kernels-by_name.csv");
  expect(csv.bytes.toString().split("\r\n")[0]).toBe(kernels.columns.map((column) => column.id).join(","));
  expect(csv.bytes.toString().trimEnd().split("\r\n")).toHaveLength(kernels.rows.length + 1);
  const json = JSON.parse((await saved("kernels-by_name", "Save as JSON")).bytes.toString()) as Record<string, unknown>[];
  expect(json.map((row) => row.total_ns)).toEqual(kernels.rows.map((row) => row[kernels.columns.findIndex((column) => column.id === "total_ns")]));
  const svg = await saved("kernel-shares", "Save as SVG");
  expect(svg.bytes.toString()).toMatch(/^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg.bytes.toString()).not.toContain("var(--");
  const png = await saved("kernel-shares", "Save as PNG");
  expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(png.bytes.readUInt32BE(16)).toBeGreaterThan(1000);
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await menu("kernels-by_name", "Copy command line");
  await page.getByText("copied").waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain("eaves report");
  expect(line).toContain("--section kernels");
});

test("names of kernels are text, whatever they are", async () => {
  const hostile = '<script>alert("x")</script><img src=x onerror=alert(1)>`${1}`\u202e"\'&amp;';
  const changed = structuredClone(document_);
  for (const section of changed.sections) {
    section.title += hostile;
    for (const finding of section.findings) finding.claim = finding.next = finding.evidence = hostile;
    for (const number of section.numbers) number.explain = hostile;
    for (const one of section.tables) {
      one.title = hostile;
      for (const row of one.rows) one.columns.forEach((_, at) => typeof row[at] === "string" && (row[at] = hostile));
    }
  }
  for (const input of changed.inputs) input.path = `/x/${hostile}`;
  changed.warnings = [{ kind: "x", count: 2, message: hostile }];
  const address = write("hostile", { document: changed });
  for (const view of ["overview", "kernels", "communication", "devices", "sections"]) {
    const page = await open(address, `view=${view}&select=${encodeURIComponent(hostile)}`);
    expect(await page.locator("#app script, #app img").count()).toBe(0);
    expect(await page.locator("#app").textContent()).toContain("<script>");
    await page.keyboard.press("Control+K");
    await page.getByRole("combobox", { name: "Command, view, table or name" }).fill("script");
    expect(await page.locator("#app script, #app img").count()).toBe(0);
  }
});

test("a table of fifty thousand rows has few in the page, and is at its end at once", async () => {
  const many = structuredClone(document_);
  const found = many.sections.find((one) => one.id === "kernels")?.tables.find((one) => one.id === "by_name");
  if (!found) throw new Error("no kernels");
  const first = found.rows[0] ?? [];
  found.rows = Array.from({ length: 50_000 }, (_, at) => first.map((value, column) => (column === nameAt ? `kernel_${at}` : column === callsAt ? at : value)));
  const page = await open(write("many", { document: many }), "view=kernels");
  const grid = page.getByRole("grid").first();
  expect(await grid.getAttribute("aria-rowcount")).toBe("50001");
  expect(await grid.locator("tbody tr").count()).toBeLessThan(60);
  await grid.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await grid.getByText("kernel_49999").waitFor();
  expect(await grid.locator("tbody tr").count()).toBeLessThan(60);
  await page.getByRole("searchbox", { name: /^Filter/ }).first().fill("calls>49990");
  await page.getByText("9 of 50,000 rows").waitFor();
});
