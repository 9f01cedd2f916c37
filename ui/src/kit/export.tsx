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
  canvas?: (() => HTMLCanvasElement | null) | undefined;
  table?: (() => Table) | undefined;
  /** Any other data. */
  json?: (() => unknown) | undefined;
  /** The command that prints the same. */
  command?: string | undefined;
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

/** A drawing as a file: the styles it has on the page become its own, on the background of the page. */
export function svgText(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, at) => {
    const original = originals[at];
    if (!original || !("style" in element)) return;
    const style = getComputedStyle(original);
    for (const property of DRAWN) (element as SVGElement).style.setProperty(property, style.getPropertyValue(property));
    for (const attribute of ["fill", "stroke"]) if (element.getAttribute(attribute)?.includes("var(")) element.removeAttribute(attribute);
    element.removeAttribute("class");
  });
  const { width, height } = drawing.getBoundingClientRect();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", String(Math.round(width)));
  copy.setAttribute("height", String(Math.round(height)));
  copy.style.background = getComputedStyle(window.document.documentElement).getPropertyValue("--surface");
  return new XMLSerializer().serializeToString(copy);
}

async function svgPicture(drawing: SVGSVGElement): Promise<Blob> {
  const { width, height } = drawing.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing))}`;
  await image.decode();
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
  const { name, svg, canvas, table, json, command: line } = exports;
  const found: Item[] = [];
  if (svg || canvas) {
    const picture = async () => {
      const drawing = svg?.();
      if (drawing) return svgPicture(drawing);
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
      return drawing ? svgText(drawing) : "";
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
  if (line) found.push({ label: "Copy command line", run: () => copyText(line, line) });
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
