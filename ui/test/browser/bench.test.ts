// What the bench and the roofline do with a server. Predictions are what the program says; measurements are made up.

import { afterAll, expect, test } from "vitest";
import type { Document } from "../../src/source/document";
import type { JobProgress } from "../../src/views/bench/requests";
import { documentOf, npu } from "../unit/roofline-documents";
import { barriers, open, picture, run, useBrowser, write } from "./harness";
import { FakeServer } from "./bench-server";

useBrowser();

const servers: FakeServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop();
});

async function serve(change: (server: FakeServer) => void = () => {}): Promise<FakeServer> {
  const server = new FakeServer(npu());
  change(server);
  servers.push(server);
  return server.start();
}

/** A product of 4096 x 4096 by a vector in 100 us: 335.54 GFLOP/s. */
function measurement(precision: string, time: number, bytes: number): Document {
  return documentOf("bench", { device: "Made CPU" }, {
    results: [{ name: "gemv 1x4096x4096", precision, time_ns: time, interval_pct: 1.5, gflops: 33554432 / time, gbps: bytes / time, pct_of_roof: 61.5, bound_by: "DRAM", flops: 33554432, bytes, clean: 20, samples: 24, state: "cold" }],
  });
}

test("a shape is predicted and measured, results come as they finish", async () => {
  const server = await serve((one) => {
    one.progress = [
      { state: "running", done: 0, total: 2, next: "gemv 1x4096x4096 fp16" },
      { state: "running", done: 1, total: 2, next: "gemv 1x4096x4096 int8/int8", document: measurement("fp16", 100_000, 33570816) },
    ] satisfies JobProgress[];
  });
  const page = await open(server.address, "view=bench", { online: true });
  await page.getByRole("button", { name: "Decode" }).click();
  await page.getByLabel("Precision", { exact: true }).selectOption("fp16");
  await page.getByRole("button", { name: "Analyze" }).click();
  await expect.poll(() => page.locator(".bench-results tbody tr").count()).toBe(2);
  expect(server.of("predict")[0]?.body).toEqual({ op: "gemv", n: 4096, k: 4096, precision: "fp16", device: "nvidia-h100-sxm" });
  expect(server.of("bench")[0]?.body).toEqual({ kernel: "gemv", n: 4096, k: 4096, precision: "fp16", backend: "cpu" });
  expect(await page.getByText("1 of 2 measured, next gemv 1x4096x4096 int8/int8").count()).toBe(1);
  // Predicted is dashed, measured is solid, both hollow.
  expect(await page.locator(".plot .mark.hollow").count()).toBe(2);
  expect(await page.locator(".plot .mark.dashed").count()).toBe(1);
  // 33 570 816 bytes at 3350 GB/s are 10.02 us at best, a tenth of the 100 us that were measured.
  const row = page.locator(".bench-results tbody tr", { hasText: "measured" });
  expect(await row.textContent()).toContain("100.00 µs ±1.5%");
  expect(await row.textContent()).toContain("10.0%");
  server.tell("progress", { state: "running", done: 2, total: 2, document: measurement("int8", 50_000, 16793600) } satisfies JobProgress);
  await expect.poll(() => page.locator(".bench-results tbody tr").count()).toBe(3);
  server.tell("progress", { state: "done", done: 2, total: 2, error: "nvfp4: no kernel" } satisfies JobProgress);
  await expect.poll(() => page.getByText("2 kernels measured").count()).toBe(1);
  expect(await page.getByText("nvfp4: no kernel").count()).toBe(1);
  expect(await page.getByText("Roofs are those of NVIDIA H100 SXM5 80GB; measured on Made CPU.").count()).toBe(1);
  await picture(page, "bench-kernel");
  const box = (await page.locator("[data-spot='1']").boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  expect(await page.getByRole("tooltip").textContent()).toContain("measured");
  expect(await barriers(page)).toEqual([]);
});

test("all precisions at once, and what the device cannot do is said", async () => {
  const server = await serve();
  const page = await open(server.address, "view=bench&bench.m=2048&bench.precision=all&bench.measure=no", { online: true, allow: /422/ });
  await page.getByRole("button", { name: "Analyze" }).click();
  const document = JSON.parse(run("predict", "gemm", "--m", "2048", "--precision", "all", "--device", "h100-sxm", "--json")) as Document;
  const count = document.sections[0]!.tables[0]!.rows.length;
  await expect.poll(() => page.locator(".plot .mark.dashed").count()).toBe(count);
  expect(server.of("bench")).toEqual([]);
  expect(await page.locator("details", { hasText: "that the device does not compute in" }).textContent()).toContain("no fp4 matrix peak");
  await picture(page, "bench-all");
  // A request that the server refuses is said in its words.
  await page.getByLabel("Device of the prediction").evaluate((select: HTMLSelectElement) => {
    select.append(new Option("nowhere", "nowhere"));
    select.value = "nowhere";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.getByRole("button", { name: "Analyze" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("a hint");
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(0);
});

test("a preset of several shapes is predicted and run as a whole", async () => {
  const server = await serve((one) => {
    one.progress = [{ state: "running", done: 0, total: 3 }];
  });
  const page = await open(server.address, "view=bench", { online: true });
  await page.getByRole("button", { name: "Sweep (3)" }).click();
  await page.getByRole("button", { name: "Analyze" }).click();
  await expect.poll(() => page.locator(".plot .mark.dashed").count()).toBe(3);
  const rows = () => server.of("predict").map((one) => (one.body as { op: string; m?: number }).m);
  await expect.poll(rows).toEqual([undefined, 16, 2048]);
  const asked = { kernel: "preset", preset: "sweep", precision: "fp16", backend: "cpu" };
  await expect.poll(() => server.of("bench")[0]?.body).toEqual(asked);
});

test("a job can be stopped", async () => {
  const server = await serve((one) => {
    one.progress = [{ state: "running", done: 0, total: 5 }];
  });
  const page = await open(server.address, "view=bench", { online: true });
  await page.getByRole("button", { name: "Analyze" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => server.of("jobs/1", "DELETE").length).toBe(1);
  server.tell("progress", { state: "cancelled", done: 1, total: 5 } satisfies JobProgress);
  await expect.poll(() => page.getByText("cancelled after 1").count()).toBe(1);
}, 60_000);

test("a transformer: phases, pins and another device", async () => {
  const server = await serve();
  const page = await open(server.address, "view=bench&bench.tab=transformer", { online: true, height: 1000 });
  const time = page.locator(".compare tr", { hasText: "Best time" });
  // Llama 3 8B, one token after 4096 in FP16 on an H100: 15.56 GB at 3350 GB/s.
  await expect.poll(() => time.textContent()).toContain("4.64 ms");
  await page.getByRole("button", { name: "Pin current" }).click();
  await page.getByLabel("Precisions of the model").selectOption("fp8");
  await expect.poll(() => time.locator("td").first().textContent()).not.toContain("4.64 ms");
  expect(await time.locator("td").count()).toBe(2);
  await page.getByLabel("What if on").selectOption("amd-mi300x");
  await expect.poll(() => time.locator("td").count()).toBe(3);
  expect(await page.locator(".compare thead").textContent()).toContain("if on AMD Instinct MI300X");
  await page.getByRole("radio", { name: "prefill" }).click();
  await page.getByLabel("Batch", { exact: true }).fill("3");
  await expect.poll(() => server.of("predict").at(-1)?.body).toMatchObject({ op: "model", model: "llama-3-8b", config: "fp8", phase: "prefill", context: 4096, batch: 8 });
  await expect.poll(() => page.locator(".data-table tbody tr").count()).toBeGreaterThan(10);
  for (const batch of ["4", "5", "6"]) {
    const asked = server.of("predict").length;
    await page.getByRole("button", { name: /^Pin current/ }).click();
    // The same is not pinned twice.
    expect(await page.getByRole("button", { name: /^Pin current/ }).isDisabled()).toBe(true);
    await page.getByLabel("Batch", { exact: true }).fill(batch);
    await expect.poll(() => server.of("predict").length).toBeGreaterThan(asked);
  }
  expect(await page.getByRole("button", { name: /^Pin current/ }).isDisabled()).toBe(true);
  await expect.poll(() => server.of("predict").at(-1)?.body).toMatchObject({ batch: 64 });
  await picture(page, "bench-transformer");
  expect(await barriers(page)).toEqual([]);
  await page.getByRole("button", { name: /^Unpin/ }).first().click();
  expect(await page.getByRole("button", { name: /^Pin current/ }).isEnabled()).toBe(true);
});

test("formats with bits, scales and values", async () => {
  const server = await serve();
  const page = await open(server.address, "view=bench&bench.tab=formats", { online: true });
  await expect.poll(() => page.locator(".format").textContent()).toContain("0, 0.5, 1, 1.5, 2, 3, 4, 6");
  expect(await page.locator("tr", { hasText: "mxfp4" }).textContent()).toContain("4.250");
  await page.getByRole("button", { name: "fp8_e4m3" }).click();
  await expect.poll(() => page.locator(".format").textContent()).toContain("127 values that are not negative");
  await picture(page, "bench-formats");
  expect(await barriers(page)).toEqual([]);
});

test("without a server the document's measurements are shown, and points can be imported", async () => {
  const file = write("bench", { document: measurement("int8", 50_000, 16793600) });
  const page = await open(file, "view=bench");
  expect(await page.getByRole("note").first().textContent()).toContain("eaves open FILE");
  expect(await page.locator(".plot .mark").count()).toBe(1);
  await page.getByRole("tab", { name: "Import" }).click();
  await page.getByLabel("Points as JSON").fill('[{"shape": "4096x4096", "precision": "FP16", "time_us": 203.4}, {"shape": "x", "precision": "FP16", "time_us": 1}]');
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(2);
  expect(await page.getByRole("status").filter({ hasText: "accepted" }).textContent()).toContain("1 point accepted, 1 rejected");
  expect(await page.getByText("is neither NxK nor MxNxK").count()).toBe(1);
  await picture(page, "bench-import");
  await page.getByLabel("From a file").setInputFiles({ name: "points.json", mimeType: "application/json", buffer: Buffer.from('{"points": [{"ai": 2, "tflops": 1, "time_us": 3}]}') });
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(3);
  await page.getByRole("button", { name: "Forget imported" }).click();
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(1);
  await page.getByRole("tab", { name: "Transformer" }).click();
  expect(await page.getByRole("note").first().textContent()).toContain("eaves open FILE");
});

test("the roofline asks the server for another device", async () => {
  const server = await serve((one) => {
    one.other = () => {
      const document = npu();
      document.sections[0]!.numbers[0]!.value = "AMD Instinct MI300X";
      document.sections[0]!.tables[0]!.rows.pop();
      return document;
    };
  });
  const page = await open(server.address, "view=roofline", { online: true });
  expect(await page.locator(".plot .mark").count()).toBe(3);
  await page.getByLabel("Device", { exact: true }).selectOption("amd-mi300x");
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(2);
  expect(server.of("runs/latest/roofline?device=amd-mi300x")).toHaveLength(1);
  await page.getByLabel("Device", { exact: true }).selectOption("");
  await expect.poll(() => page.locator(".plot .mark").count()).toBe(3);
});

test("the configuration of a server is loaded, saved, and followed", async () => {
  const server = await serve((one) => {
    one.config = { peak_tops: 0.5 };
  });
  const page = await open(server.address, "view=roofline&roofline.side=adjust", { online: true });
  expect(await page.locator("#rate-any").inputValue()).toBe("1");
  await page.getByRole("button", { name: "Load config" }).click();
  await expect.poll(() => page.locator("#rate-any").inputValue()).toBe("0.5");
  await page.locator("#limit-memory").fill("15");
  await page.locator("#limit-memory").blur();
  await page.getByRole("button", { name: "Save config" }).click();
  await expect.poll(() => server.of("config", "PUT").at(-1)?.body).toEqual({ peak_tops: 0.5, mem_bw: 100, mem_thresh: 15, comp_thresh: 40, bound_thresh: 70, balanced: 1.2 });
  server.config = { peak_tops: 2, mem_bw: 100 };
  server.tell("config");
  await expect.poll(() => page.locator("#rate-any").inputValue()).toBe("2");
  server.config = { peak_tops: "many" };
  server.tell("config");
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("was not applied");
  expect(await page.locator("#rate-any").inputValue()).toBe("2");
});

test("a script is checked while it is written, and saved only if it is right", async () => {
  const server = await serve();
  const page = await open(server.address, "view=roofline&roofline.side=script", { online: true });
  const field = page.getByLabel("Script with formulas");
  await expect.poll(() => field.inputValue()).toContain("ID_ROTARY");
  await expect.poll(() => page.getByText("No errors").count()).toBe(1);
  const asked = server.of("ops/check").length;
  await field.pressSequentially("// one\nwrong here", { delay: 5 });
  await expect.poll(() => page.getByText("unknown word").count()).toBe(1);
  // The keyboard rested once.
  expect(server.of("ops/check").length).toBe(asked + 1);
  const line = (await field.inputValue()).split("\n").findIndex((text) => text.includes("wrong")) + 1;
  expect(await page.locator(".gutter .wrong").textContent()).toBe(String(line));
  expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: `line ${line}` }).click();
  await picture(page, "roofline-script");
  await field.fill("// nothing\n");
  await expect.poll(() => page.getByText("No errors").count()).toBe(1);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => server.script).toBe("// nothing\n");
  expect(await barriers(page)).toEqual([]);
});
