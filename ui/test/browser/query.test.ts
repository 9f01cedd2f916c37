// Questions in SQL, asked of a server that answers as the real one does.

import { afterEach, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import { barriers, open, picture, useBrowser, write } from "./harness";
import { type Answers, type Running, serve } from "./server";

useBrowser();
let running: Running | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const training: Document = {
  schema: "eaves.report/1",
  tool: { name: "eaves", version: "0" },
  inputs: [{ path: "runs/my trace.json", format: "kineto", rank: 0, events: 10, bytes: 100 }],
  warnings: [],
  sections: [],
  skipped: [],
};
const column = (name: string, type = "int") => ({ name, type, about: `What ${name} is` });
const tables = {
  tables: [
    { name: "kernels", about: "Kernels, copies and sets on GPUs", columns: [column("rank"), column("short_name", "text"), column("duration_ns")] },
    { name: "steps", about: "Profiler steps", columns: [column("rank"), column("step"), column("duration_ns")] },
  ],
  functions: [{ name: "interval_union", call: "interval_union(start, end)", about: "Time covered by any row" }],
};
const rows = Array.from({ length: 1000 }, (_, at) => [`kernel_${at}`, 1000 - at, (at * 7919) % 100_003, at === 3 ? null : at / 10]);
const refused = /Failed to load resource/;

async function started(more: Partial<Answers> = {}): Promise<{ address: string; asked: { sql: string; limit: number }[] }> {
  const asked: { sql: string; limit: number }[] = [];
  running = await serve({
    runs: [{ id: "1", title: "run" }],
    documents: { 1: training },
    tables,
    query: (question) => {
      asked.push(question);
      if (question.sql.includes("nothing")) return [400, { error: "no table `nothing` (line 2, column 6)", hint: "there are: kernels, steps" }];
      return [200, { columns: [{ name: "name", type: "text" }, { name: "calls", type: "int" }, { name: "total_ns", type: "int" }, { name: "busy_pct", type: "float" }], rows, truncated: true }];
    },
    ...more,
  });
  return { address: running.address, asked };
}

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 800],
] as const)("a question is written, asked and answered, %s, %i px", async (theme, width) => {
  const { address, asked } = await started();
  const page = await open(address, "view=query", { online: true, theme, width });
  const field = page.getByLabel("Question in SQL");
  await field.fill("SELECT name, calls, total_ns\nFROM kernels");
  await field.press("Control+Enter");
  await page.getByText(/The first 1.?000 rows in/).waitFor();
  expect(asked).toEqual([{ sql: "SELECT name, calls, total_ns\nFROM kernels", limit: 1000 }]);
  const grid = page.getByRole("grid", { name: "Answer" });
  expect(await grid.getAttribute("aria-rowcount")).toBe("1001");
  await grid.getByText("kernel_0", { exact: true }).waitFor();
  // Sorted by the page, with durations as everywhere.
  await grid.getByRole("button", { name: "total_ns" }).click();
  expect(await grid.getByRole("row").nth(1).textContent()).toMatch(/µs/);
  await page.getByText("Kernels, copies and sets on GPUs").click();
  await picture(page, `query-${theme}-${width}`);
  expect(await barriers(page)).toEqual([]);
  // A link opens with its answer.
  const link = page.url();
  expect(new URLSearchParams(new URL(link).hash.slice(1)).get("query.sql")).toBe("SELECT name, calls, total_ns\nFROM kernels");
  await page.reload();
  await page.getByRole("grid", { name: "Answer" }).waitFor();
  expect(asked.length).toBe(2);
});

test("the answer leaves as CSV, as JSON and as a command", async () => {
  const { address } = await started();
  const page = await open(address, "view=query&query.sql=SELECT+'a'", { online: true });
  await page.getByRole("grid", { name: "Answer" }).waitFor();
  const copied = async (label: string) => {
    await page.getByRole("button", { name: "Export query" }).click();
    await page.getByRole("menuitem", { name: label }).click();
    await page.locator(".notice").waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copied("Copy command line")).toBe(`eaves query 'SELECT '\\''a'\\''' 'runs/my trace.json'`);
  expect((await copied("Copy as CSV")).split(/\r?\n/).slice(0, 2)).toEqual(["name,calls,total_ns,busy_pct", "kernel_0,1000,0,0"]);
  expect((JSON.parse(await copied("Copy as JSON")) as unknown[])[3]).toEqual({ name: "kernel_3", calls: 997, total_ns: 23757, busy_pct: null });
});

test("a mistake is shown with its place, and the cursor goes there", async () => {
  const { address } = await started();
  const page = await open(address, "view=query", { online: true, allow: refused });
  const field = page.getByLabel("Question in SQL");
  await field.fill("SELECT *\nFROM nothing");
  await page.getByRole("button", { name: "Run" }).click();
  const problem = page.getByRole("alert");
  await problem.getByText("there are: kernels, steps").waitFor();
  expect(await problem.locator("pre").textContent()).toBe("FROM nothing\n     ^");
  await picture(page, "query-problem");
  expect(await barriers(page)).toEqual([]);
  await problem.getByRole("button", { name: "Go to line 2, column 6" }).click();
  expect(await field.evaluate((area: HTMLTextAreaElement) => area.selectionStart)).toBe(14);
});

test("examples and names of tables and columns go into the question", async () => {
  const { address, asked } = await started();
  const page = await open(address, "view=query", { online: true });
  const choice = page.getByLabel("Examples");
  // Those whose columns there are.
  expect(await choice.locator("option").allTextContents()).toEqual(["Examples", "Kernels by time", "Steps of all ranks", "Rows of kernels", "Rows of steps"]);
  await choice.selectOption({ label: "Steps of all ranks" });
  await page.getByRole("grid", { name: "Answer" }).waitFor();
  expect(asked[0]?.sql).toContain("FROM steps");
  const field = page.getByLabel("Question in SQL");
  await field.fill("SELECT ");
  await page.locator("summary", { hasText: "steps" }).click();
  await page.getByRole("button", { name: "duration_ns" }).click();
  expect(await field.inputValue()).toBe("SELECT duration_ns");
});

test("a build without SQL says how to get it, and a file where to ask", async () => {
  const { address } = await started({ tables: undefined });
  // The tab says so before it is opened, and nothing is asked that the server would refuse.
  const page = await open(address, "view=overview", { online: true });
  const tab = page.getByRole("tab", { name: "Query" });
  expect(await tab.getAttribute("class")).toContain("nothing");
  await tab.click();
  await page.getByText("This build of eaves has no SQL; build it with").waitFor();
  await page.getByText("eaves export TRACE --to parquet").waitFor();
  expect(await barriers(page)).toEqual([]);
  const file = await open(write("query-file", { document: training }), "view=query");
  await file.getByText("runs SQL queries here").waitFor();
});

test("integers of 64 bits keep every digit", async () => {
  const { address } = await started();
  const page = await open(address, "view=query", { online: true });
  // As text: what writes JSON in the tests would round it.
  const body = '{"columns":[{"name":"base_time_ns","type":"int"}],"rows":[[1700000000123456789],[5]],"truncated":false}';
  await page.route("**/query", (route) => route.fulfill({ contentType: "application/json", body }));
  const field = page.getByLabel("Question in SQL");
  await field.fill("SELECT base_time_ns FROM ranks");
  await field.press("Control+Enter");
  const grid = page.getByRole("grid", { name: "Answer" });
  await grid.getByText("1700000000123456789", { exact: true }).waitFor();
  expect(await grid.getByRole("row").nth(2).textContent()).toBe("5 ns");
});
