// A report as one file: the data stands in inert script elements, packed.

import type { Document } from "./document";
import type { Part, Source } from "./index";

/** The text of `<script id="eaves-NAME">`: base64 of gzip, or plain JSON. */
function element(name: string): HTMLScriptElement | null {
  return document.querySelector<HTMLScriptElement>(`script#eaves-${name}`);
}

/** A loop: `Uint8Array.from` with a function takes ten times as long, a second for four megabytes. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function unpack(text: string): Promise<ArrayBuffer> {
  const bytes = fromBase64(text);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

async function bytes(name: string): Promise<ArrayBuffer | null> {
  const found = element(name);
  if (!found?.textContent) return null;
  return found.dataset.packed === "gzip"
    ? unpack(found.textContent)
    : (new TextEncoder().encode(found.textContent).buffer as ArrayBuffer);
}

/** Settings that the page was made with; none if it says none. */
export function madeWith(): Record<string, string> {
  try {
    const found: unknown = JSON.parse(element("settings")?.textContent ?? "{}");
    if (typeof found !== "object" || found === null) return {};
    return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return {};
  }
}

const NO_SERVER = "this page is a file; `eaves open FILE` starts a server that can do this";

/** A file without data: there is nothing to show and nobody to ask. */
export function emptySource(): Source {
  const nothing = () => Promise.reject(new Error("this file contains the page without data"));
  return { live: false, document: nothing, part: () => Promise.resolve(null), ask: nothing, listen: () => () => {} };
}

export function inlineSource(): Source | null {
  if (!element("document")) return null;
  return {
    live: false,
    async document() {
      try {
        const found = await bytes("document");
        return JSON.parse(new TextDecoder().decode(found ?? new ArrayBuffer(0))) as Document;
      } catch (error) {
        throw new Error(`cannot read the report in this page: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    has: (name: Part) => element(name) !== null,
    part: (name: Part) => bytes(name),
    ask: () => Promise.reject(new Error(NO_SERVER)),
    listen: () => () => {},
  };
}
