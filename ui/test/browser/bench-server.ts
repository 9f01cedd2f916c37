// A server for the parts of the page that need one. Predictions and devices are what the program says; measurements are
// given by the test, because none may depend on this machine.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Document } from "../../src/source/document";
import type { BenchRequest, Format, JobProgress, OpsCheck, PredictRequest, Presets } from "../../src/views/bench/requests";
import { run } from "./harness";

const PLAIN = new Set(["op", "model", "kernel"]);

/** A request as the flags of the command line. */
export function flags(request: PredictRequest | BenchRequest): string[] {
  return Object.entries(request).flatMap(([key, value]) => {
    if (PLAIN.has(key) || value === undefined || value === false) return [];
    const flag = `--${key.replaceAll("_", "-")}`;
    return value === true ? [flag] : [flag, String(value)];
  });
}

function predict(request: PredictRequest): string {
  const name = request.op === "model" ? [request.model] : [];
  return run("predict", request.op, ...name, ...flags(request), "--json");
}

/** Some formats by their specifications: OCP 8-bit Floating Point 1.0 and Microscaling Formats 1.0, IEEE 754. */
export const FORMATS: Format[] = [
  { name: "fp16", family: "float", element_bits: 16, exponent_bits: 5, mantissa_bits: 10, largest: 65504, scales: [], effective_bits: 16, arithmetic: "fp16" },
  { name: "fp8_e4m3", family: "float", element_bits: 8, exponent_bits: 4, mantissa_bits: 3, largest: 448, scales: [], effective_bits: 8, arithmetic: "fp8" },
  { name: "mxfp4", family: "microscaling", element_bits: 4, exponent_bits: 2, mantissa_bits: 1, largest: 6, scales: [{ bits: 8, every: 32 }], effective_bits: 4.25, arithmetic: "fp4" },
  { name: "int8", family: "integer", element_bits: 8, exponent_bits: 0, mantissa_bits: 7, largest: 127, scales: [], effective_bits: 8, arithmetic: "int8" },
];

export const PRESETS: Presets = {
  models: [
    { key: "llama-3-8b", name: "Llama 3 8B", parameters: 8030261248 },
    { key: "llama-3-70b", name: "Llama 3 70B", parameters: 70553706496 },
  ],
  configurations: [
    { key: "fp16", weights: "fp16", activations: "fp16", cache: "fp16", compute: "fp16" },
    { key: "fp8", weights: "fp8_e4m3", activations: "fp8_e4m3", cache: "fp8_e4m3", compute: "fp8" },
  ],
  shapes: [
    { key: "decode", shapes: [[1, 4096, 4096]] },
    { key: "sweep", shapes: [[1, 4096, 4096], [16, 4096, 4096], [2048, 4096, 4096]] },
  ],
  bench_precisions: ["fp32", "fp16", "int8/int8"],
  backends: [
    { name: "cpu", available: true },
    { name: "cuda", available: false, reason: "no device" },
  ],
};

export interface Told {
  method: string;
  path: string;
  body: unknown;
}

export class FakeServer {
  /** Everything that was asked, in order. */
  readonly asked: Told[] = [];
  config: unknown = { peak_tops: 16, mem_bw: 50 };
  configProblem: string | null = null;
  script = 'op("ID_ROTARY", |cmd| #{ macs: 1, bytes: 2 });\n';
  progress: JobProgress[] = [];
  private readonly streams = new Set<ServerResponse>();
  private server: Server | undefined;
  address = "";

  constructor(private readonly document: Document) {}

  async start(): Promise<this> {
    this.server = createServer((request, response) => void this.answer(request, response));
    await new Promise<void>((done) => this.server?.listen(0, "127.0.0.1", done));
    this.address = `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}/`;
    return this;
  }

  async stop(): Promise<void> {
    for (const stream of this.streams) stream.end();
    this.server?.closeAllConnections();
    await new Promise((done) => this.server?.close(done));
  }

  /** What was asked of a path. */
  of(path: string, method?: string): Told[] {
    return this.asked.filter((one) => one.path === path && (!method || one.method === method));
  }

  /** Tells all pages something. */
  tell(kind: string, data: unknown = null): void {
    for (const stream of this.streams) stream.write(`data: ${JSON.stringify({ kind, data })}\n\n`);
  }

  private page(): string {
    const built = process.env.EAVES_PAGE ?? join(import.meta.dirname, "../../../crates/webui/dist");
    const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'";
    return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>eaves</title><link rel="icon" href="data:,"><style>${readFileSync(join(built, "app.css"), "utf8")}</style></head><body><div id="app"></div><script type="module">${readFileSync(join(built, "app.js"), "utf8")}</script></body></html>`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (!url.pathname.startsWith("/api/v1/")) {
      response.setHeader("content-type", "text/html").end(this.page());
      return;
    }
    let text = "";
    for await (const part of request) text += String(part);
    const path = url.pathname.slice("/api/v1/".length) + url.search;
    const body: unknown = text ? JSON.parse(text) : null;
    const method = request.method ?? "GET";
    this.asked.push({ method, path, body });
    try {
      const answer = this.route(method, path, body, response);
      if (answer === undefined) return;
      response.setHeader("content-type", "application/json").end(typeof answer === "string" ? answer : JSON.stringify(answer));
    } catch (error) {
      response.statusCode = 422;
      response.setHeader("content-type", "application/json").end(JSON.stringify({ error: String(error), hint: "a hint" }));
    }
  }

  private route(method: string, path: string, body: unknown, response: ServerResponse): unknown {
    if (path === "events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": here\n\n");
      this.streams.add(response);
      return undefined;
    }
    const device = /^devices\/(.+)$/.exec(path)?.[1];
    if (path === "devices") return run("device", "list", "--json");
    if (device) return run("device", "show", decodeURIComponent(device), "--json");
    if (path === "precisions") return FORMATS;
    if (path === "presets") return PRESETS;
    if (path === "predict") return predict(body as PredictRequest);
    if (path === "bench") return { job: "1" };
    if (path === "jobs/1") return {};
    if (path === "jobs/1/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const data of this.progress) response.write(`data: ${JSON.stringify({ kind: "progress", data })}\n\n`);
      this.streams.add(response);
      return undefined;
    }
    if (path === "config") {
      if (method === "PUT") this.config = body;
      return { config: this.config, path: "roofline_config.json", problem: this.configProblem };
    }
    if (path === "ops") {
      if (method === "PUT") this.script = (body as { script: string }).script;
      return { script: this.script, path: "ops.rhai" };
    }
    if (path === "ops/check") return check((body as { script: string }).script);
    if (path === "runs/latest/document") return this.document;
    if (path.startsWith("runs/latest/roofline")) return this.other(path);
    if (path === "runs") return [{ id: "1", title: "run", inputs: [], state: "done" }];
    response.statusCode = 404;
    return { error: `nothing at ${path}` };
  }

  /** The roofline of other kernels, so that it can be told apart. */
  other = (_path: string): unknown => this.document;
}

/** A script is wrong where it says `wrong`. */
function check(script: string): OpsCheck {
  const errors = script.split("\n").flatMap((line, index) => (line.includes("wrong") ? [{ line: index + 1, message: "unknown word `wrong`" }] : []));
  return { ok: errors.length === 0, errors };
}
