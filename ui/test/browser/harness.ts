// The page as people get it: one file with its data inside, opened by `file://` in a browser without a network.
// Whatever the browser complains about fails the test.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Document } from "../../src/source/document";

export const ROOT = resolve(import.meta.dirname, "../../..");
const POLICY = "default-src 'none'; script-src 'sha256-'; style-src 'unsafe-inline'; img-src data: blob:";

/** The recording that is part of the repository. */
export const TRAINING = join(ROOT, "examples/training");

/** The program that writes what the page shows: `EAVES`, else the one that was built last. */
export function program(): string {
  const places = [process.env.EAVES, join(ROOT, "target/release/eaves"), join(ROOT, "target/debug/eaves")];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error("no eaves program: set EAVES, or build it with `cargo build`");
  return found;
}

/** Runs the program and returns what it prints. */
export function run(...parts: string[]): string {
  return execFileSync(program(), parts, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"], cwd: ROOT });
}

/** Serves inputs with the program while the tests of a suite run. */
export function useServer(...inputs: string[]): { address: string } {
  const served = { address: "" };
  let server: ChildProcess | undefined;
  beforeAll(async () => {
    const started = spawn(program(), ["serve", ...inputs, "--port", "0"], { cwd: ROOT });
    server = started;
    served.address = await new Promise<string>((done, fail) => {
      let told = "";
      const hear = (bytes: Buffer) => {
        told += bytes.toString();
        const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(told);
        if (found) done(found[0]);
      };
      started.stdout.on("data", hear);
      started.stderr.on("data", hear);
      started.on("exit", () => fail(new Error(`the server ended: ${told}`)));
    });
  });
  afterAll(() => void server?.kill());
  return served;
}

export const scratch = mkdtempSync(join(tmpdir(), "eaves-test-"));

/** What a page carries. Text in base64 of gzip is marked by `packed`. */
export interface Data {
  document?: Document | string;
  timeline?: { text: string; packed: boolean };
  flame?: { text: string; packed: boolean };
}

/** The data of a page that the program writes itself. */
function dataOf(verb: "timeline" | "flame", input: string): { text: string; packed: boolean } {
  const file = join(scratch, `${verb}.html`);
  run(verb, input, "-o", file);
  const found = new RegExp(`<script [^>]*id="eaves-${verb}"[^>]*>([^<]*)</script>`).exec(readFileSync(file, "utf8"));
  if (!found?.[1]) throw new Error(`no data in the page of ${verb}`);
  return { text: found[1], packed: true };
}

/** A page whose policy has the hashes of the scripts that are in it now; one that allows all of them is left as it is. */
function hashed(text: string): string {
  const scripts = [...text.matchAll(/<script(?: type="module")?>([\s\S]*?)<\/script>/g)].map(([, script]) => `'sha256-${createHash("sha256").update(script ?? "").digest("base64")}'`);
  return text.replace(/script-src (?:'sha256-[^']*' ?)+/, () => `script-src ${scripts.join(" ")}`);
}

/** A page that the program writes, with the program of the page as it is now. Returns its address. */
export function page(name: string, ...parts: string[]): string {
  const file = join(scratch, `${name}.html`);
  run(...parts, "-o", file);
  const built = process.env.EAVES_PAGE ?? join(ROOT, "crates/webui/dist");
  const text = readFileSync(file, "utf8")
    .replace(/<style>[\s\S]*?<\/style>/, () => `<style>${readFileSync(join(built, "app.css"), "utf8")}</style>`)
    .replace(/<script type="module">[\s\S]*?<\/script>/, () => `<script type="module">${readFileSync(join(built, "app.js"), "utf8")}</script>`);
  writeFileSync(file, hashed(text));
  return pathToFileURL(file).href;
}

/** Everything of a recording, as the report with all views has it. */
export function recorded(input: string): Data {
  return { document: JSON.parse(run("report", input, "--json")) as Document, timeline: dataOf("timeline", input), flame: dataOf("flame", input) };
}

function element(name: string, data: { text: string; packed: boolean } | undefined): string {
  if (!data) return "";
  const kind = data.packed ? 'type="application/octet-stream" data-packed="gzip"' : 'type="application/json"';
  return `<script id="eaves-${name}" ${kind}>${data.text}</script>`;
}

/** Writes a page with data inside; without any it asks a server. Returns its address. */
export function write(name: string, data: Data): string {
  const built = process.env.EAVES_PAGE ?? join(ROOT, "crates/webui/dist");
  const script = readFileSync(join(built, "app.js"), "utf8");
  if (/<\/script/i.test(script)) throw new Error("the script would end its own element");
  // `<` cannot end the element if it is written as JSON may write it.
  const text = typeof data.document === "string" ? data.document : data.document && JSON.stringify(data.document).replaceAll("<", "\\u003c");
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><title>eaves</title>',
    `<style>${readFileSync(join(built, "app.css"), "utf8")}</style></head><body><div id="app"></div>`,
    element("document", text === undefined ? undefined : { text, packed: false }),
    element("timeline", data.timeline),
    element("flame", data.flame),
    `<script type="module">${script}</script></body></html>`,
  ].join("\n");
  const file = join(scratch, `${name}.html`);
  writeFileSync(file, hashed(html));
  return pathToFileURL(file).href;
}

let browser: Browser;
let problems: string[] = [];
let pages: Page[] = [];

/** Call once in each file: starts the browser, and fails a test in which a page complained. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    const found = problems;
    problems = [];
    for (const page of pages) await page.context().close();
    pages = [];
    expect(found).toEqual([]);
  });
  afterAll(() => browser?.close());
}

export interface View {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  /** Problems that this page is meant to have. */
  allow?: RegExp;
  /** Leaves the network on: for pages of a server. */
  online?: boolean;
}

/** A browser of its own, for what `open` does not do. */
export function newContext(wanted: Parameters<Browser["newContext"]>[0]): ReturnType<Browser["newContext"]> {
  return browser.newContext({ offline: true, viewport: { width: 1280, height: 800 }, ...wanted });
}

/** Opens a page, at a hash if asked for. */
export async function open(address: string, hash = "", wanted: View = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: wanted.width ?? 1280, height: wanted.height ?? 800 },
    colorScheme: wanted.theme ?? "light",
    offline: !wanted.online,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const told = (text: string) => {
    if (!wanted.allow?.test(text)) problems.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") told(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => told(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    told(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  pages.push(page);
  const built = process.env.EAVES_PAGE;
  // A server of eaves carries the page that was there when it was built.
  if (built && wanted.online) for (const file of ["app.js", "app.css"]) await page.route(`**/${file}*`, (route) => route.fulfill({ path: join(built, file) }));
  await page.goto(`${address}${hash && `#${hash}`}`);
  await page.waitForSelector("#app > *");
  return page;
}

/** What axe finds that keeps people out: problems it calls serious or critical. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter((one) => one.impact === "serious" || one.impact === "critical")
      .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)}: ${node.failureSummary}`));
  });
}

/** Writes a picture of the page where people can look at it: `SCREENSHOTS`, else a temporary folder. */
export async function picture(page: Page, name: string): Promise<string> {
  const folder = process.env.SCREENSHOTS ?? join(scratch, "pictures");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  return file;
}
