// What the program writes, for tests that hold the page to it.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

export const ROOT = resolve(import.meta.dirname, "../../..");
export const TRAINING = join(ROOT, "examples/training");

/** `EAVES`, else the one that was built last; undefined if there is none. */
export const PROGRAM = [process.env.EAVES, join(ROOT, "target/release/eaves"), join(ROOT, "target/debug/eaves")].find((place) => place && existsSync(place));

export function json<Answer>(...parts: string[]): Answer {
  const text = execFileSync(PROGRAM!, [...parts, "--json"], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse(text) as Answer;
}

/** What the page of a verb holds for its view, unpacked. */
export function dataOf(verb: "timeline" | "flame", ...inputs: string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "eaves-unit-"));
  try {
    const file = join(folder, "page.html");
    execFileSync(PROGRAM!, [verb, ...inputs, "-o", file], { stdio: "ignore" });
    const text = new RegExp(`id="eaves-${verb}"[^>]*>([^<]*)<`).exec(readFileSync(file, "utf8"))?.[1] ?? "";
    return gunzipSync(Buffer.from(text, "base64"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
