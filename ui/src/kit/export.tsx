// What is on the page leaves it: as a picture, as data, or as the command that prints the same.

import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Document, Table, Value } from "../source/document";
import { exactInteger } from "../source/integers";

/** What a view can give away. Only what is there is in the menu. */
export interface Exports {
  /** Name of files, without an ending. */
  name: string;
  svg?: (() => SVGSVGElement | null) | undefined;
  /** What a picture says of itself where the page is not around it; the panel's title without. */
  caption?: (() => Caption) | undefined;
  canvas?: (() => HTMLCanvasElement | null) | undefined;
  table?: (() => Table) | undefined;
  /** Any other data. */
  json?: (() => unknown) | undefined;
  /** The command that prints the same. */
  command?: string | undefined;
}

export interface Caption {
  title: string;
  lines?: readonly string[];
  legend?: readonly { text: string; colour: string }[];
}

/** Words that the page says once in its corner. */
export const notice = signal<string | null>(null);

let noticeEnds: ReturnType<typeof setTimeout> | undefined;

export function say(text: string): void {
  notice.value = text;
  clearTimeout(noticeEnds);
  noticeEnds = setTimeout(() => (notice.value = null), 4000);
}

/** A field of CSV: quoted where it must be (RFC 4180). What a spreadsheet would run as a formula starts with a quote. */
export function csvField(value: Value | undefined): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) && exactInteger(text) === undefined ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A table as CSV, with every digit; the unit is in the ids of the columns. */
export function toCsv(table: Table): string {
  const lines = [table.columns.map((column) => csvField(column.id)).join(",")];
  for (const row of table.rows) lines.push(table.columns.map((_, at) => csvField(row[at])).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

/** A table as objects by the ids of its columns. */
export function toJson(table: Table): string {
  const objects = table.rows.map((row) => Object.fromEntries(table.columns.map((column, at) => [column.id, row[at] ?? null])));
  return JSON.stringify(objects, null, 1);
}

/** An argument of a command line as a POSIX shell reads it. */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Options of what is looked at now; the page tells, as it knows which of it a view is of. */
let part: () => string = () => "";

export function tellPart(options: () => string): void {
  part = options;
}

/** Verbs that look at a part of the inputs. */
const OF_PARTS = /^eaves (report|roofline|comm|kernels|memory|flame|timeline) /;

/** A command with what is selected when it is copied. */
function selected(line: string): string {
  return OF_PARTS.test(line) ? [line, part()].filter(Boolean).join(" ") : line;
}

/** The command that reads the inputs of this document again. */
export function command(document: Document, verb?: string, options = ""): string {
  const asked = verb ?? /^eaves\.([a-z]+)\//.exec(document.schema)?.[1] ?? "report";
  // What a comparison began with is no input of other verbs.
  const inputs = document.inputs.filter((input) => asked === "diff" || input.role !== "base");
  return ["eaves", asked, ...inputs.map((input) => quote(input.path)), options].filter(Boolean).join(" ");
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = window.document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages of files may have no clipboard: the older way needs a field with the text in it.
    const field = window.document.createElement("textarea");
    field.value = text;
    window.document.body.append(field);
    field.select();
    const done = window.document.execCommand("copy");
    field.remove();
    if (!done) {
      say("The browser does not allow copying here; save the file instead");
      return;
    }
  }
  say(`${what} copied`);
}

/** What of the style sheet an image outside the page must bring along. */
const DRAWN = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "paint-order", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "visibility", "display",
];

/** Attributes of the page, which say nothing in a picture. */
const OF_PAGE = ["tabindex", "role", "aria-label", "aria-hidden", "aria-pressed", "aria-controls"];

const NAMESPACE = "http://www.w3.org/2000/svg";
const HEAD = 44;
const FOOT = 26;

/** Title and run above a drawing, what colours mean below it; returns how high it is then. */
function captioned(copy: SVGSVGElement, { title, lines = [], legend = [] }: Caption, width: number, height: number): number {
  const page = window.document;
  const style = getComputedStyle(page.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const add = (kind: string, attributes: Record<string, string | number>, text?: string) => {
    const element = page.createElementNS(NAMESPACE, kind);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    if (text !== undefined) element.textContent = text;
    copy.append(element);
  };
  const inner = page.createElementNS(NAMESPACE, "svg");
  inner.append(...copy.childNodes);
  for (const [name, value] of Object.entries({ y: HEAD, width, height, viewBox: `0 0 ${width} ${height}` })) inner.setAttribute(name, String(value));
  copy.append(inner);
  const letters = { "font-family": "sans-serif", fill: colour("--text") };
  add("text", { x: 8, y: 18, "font-size": 15, "font-weight": 600, ...letters }, title);
  const run = page.title.replace(/ · eaves$/, "");
  add("text", { x: 8, y: 35, "font-size": 11.5, ...letters, fill: colour("--quiet") }, [run, ...lines, `eaves, ${new Date().toISOString().slice(0, 10)}`].filter(Boolean).join(" · "));
  let x = 8;
  for (const { text, colour: fill } of legend) {
    const paint = /^var\((.*)\)$/.exec(fill.trim())?.[1];
    add("rect", { x, y: HEAD + height + 7, width: 11, height: 11, rx: 2, fill: paint ? colour(paint) : fill });
    add("text", { x: x + 16, y: HEAD + height + 17, "font-size": 11.5, ...letters }, text);
    x += 30 + text.length * 6.4;
  }
  const whole = HEAD + height + (legend.length ? FOOT : 0);
  copy.setAttribute("viewBox", `0 0 ${width} ${whole}`);
  return whole;
}

/** A drawing as a file: the styles it has on the page become its own, on the background of the page. */
export function svgText(drawing: SVGSVGElement, caption?: Caption): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, at) => {
    const original = originals[at];
    if (!original || !("style" in element)) return;
    const style = getComputedStyle(original);
    for (const property of DRAWN) (element as SVGElement).style.setProperty(property, style.getPropertyValue(property));
    for (const attribute of ["fill", "stroke"]) if (element.getAttribute(attribute)?.includes("var(")) element.removeAttribute(attribute);
    element.removeAttribute("class");
    for (const attribute of OF_PAGE) element.removeAttribute(attribute);
  });
  const { width, height } = drawing.getBoundingClientRect();
  copy.setAttribute("xmlns", NAMESPACE);
  copy.setAttribute("width", String(Math.round(width)));
  copy.setAttribute("height", String(Math.round(caption ? captioned(copy, caption, width, height) : height)));
  copy.style.background = getComputedStyle(window.document.documentElement).getPropertyValue("--surface");
  return new XMLSerializer().serializeToString(copy);
}

async function svgPicture(drawing: SVGSVGElement, caption?: Caption): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing, caption))}`;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const canvas = window.document.createElement("canvas");
  canvas.width = Math.round(width * 2);
  canvas.height = Math.round(height * 2);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.fillStyle = getComputedStyle(window.document.documentElement).getPropertyValue("--surface");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvasPicture(canvas);
}

function canvasPicture(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture is empty"))), "image/png"));
}

export interface Item {
  label: string;
  run(): void | Promise<void>;
}

/** The entries of the menu for what there is. */
export function items(exports: Exports): Item[] {
  const { name, svg, caption, canvas, table, json, command: line } = exports;
  const found: Item[] = [];
  if (svg || canvas) {
    const picture = async () => {
      const drawing = svg?.();
      if (drawing) return svgPicture(drawing, caption?.());
      const painted = canvas?.();
      if (painted) return canvasPicture(painted);
      throw new Error("nothing is drawn yet");
    };
    found.push({
      label: "Copy as PNG",
      run: async () => {
        await navigator.clipboard.write([new ClipboardItem({ "image/png": picture() })]);
        say("Picture copied");
      },
    });
    found.push({ label: "Save as PNG", run: async () => save(`${name}.png`, await picture()) });
  }
  if (svg) {
    const text = () => {
      const drawing = svg();
      return drawing ? svgText(drawing, caption?.()) : "";
    };
    found.push({ label: "Save as SVG", run: () => save(`${name}.svg`, new Blob([text()], { type: "image/svg+xml" })) });
  }
  if (table) {
    found.push({ label: "Copy as CSV", run: () => copyText(toCsv(table()), "CSV") });
    found.push({ label: "Save as CSV", run: () => save(`${name}.csv`, new Blob([toCsv(table())], { type: "text/csv" })) });
    found.push({ label: "Copy as JSON", run: () => copyText(toJson(table()), "JSON") });
    found.push({ label: "Save as JSON", run: () => save(`${name}.json`, new Blob([toJson(table())], { type: "application/json" })) });
  } else if (json) {
    const text = () => JSON.stringify(json(), null, 1);
    found.push({ label: "Copy as JSON", run: () => copyText(text(), "JSON") });
    found.push({ label: "Save as JSON", run: () => save(`${name}.json`, new Blob([text()], { type: "application/json" })) });
  }
  if (line) found.push({ label: "Copy command line", run: () => copyText(selected(line), selected(line)) });
  return found;
}

/** The button with the menu. */
export function ExportMenu({ exports }: { exports: Exports }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside, true);
    return () => removeEventListener("pointerdown", outside, true);
  }, [open]);
  const entries = items(exports);
  if (entries.length === 0) return null;
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = buttons.indexOf(window.document.activeElement as HTMLElement);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) buttons[(at + step + buttons.length) % buttons.length]?.focus();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={box}>
      <button type="button" class="quiet-button" aria-haspopup="menu" aria-expanded={open} aria-label={`Export ${exports.name}`} onClick={() => setOpen(!open)}>
        Export
      </button>
      {open ? (
        <div role="menu" aria-label="Export" onKeyDown={move}>
          {entries.map((entry) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              key={entry.label}
              onClick={() => {
                close();
                void Promise.resolve()
                  .then(() => entry.run())
                  .catch((error: unknown) => say(`Not exported: ${error instanceof Error ? error.message : String(error)}`));
              }}
            >
              {entry.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
