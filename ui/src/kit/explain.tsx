// Every number explains itself: a click shows what it is, how it was made, of what, and where it stands.

import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { cell, format, thousands, words } from "../format";
import { type Column, type Document, type NumberEntry, type Section, section as sectionOf, type Table, type Value } from "../source/document";
import { set, view } from "../state";
import { layOver } from "./keys";
import { place } from "./tooltip";

/** What is said about a number. */
export interface Explanation {
  title: string;
  /** As it is shown. */
  text: string;
  /** As it is in the document, before it was rounded for people. */
  exact?: string;
  /** The formula in a sentence. */
  formula?: string;
  /** What it was made of, or what stands beside it. */
  inputs?: readonly (readonly [string, string])[];
  /** What `inputs` are, if the number was not made of them. */
  beside?: string;
  provenance?: string;
  /** Where it is in the document. */
  section?: string;
  table?: string;
  /** Why there is no value. */
  reason?: string;
}

/** What the sources of numbers mean. */
export const PROVENANCE: Readonly<Record<string, string>> = {
  counter: "counted or recorded, not derived",
  formula: "computed from recorded data",
  datasheet: "published by the vendor",
  measured: "measured on this machine",
  guess: "an assumption: the data to compute it was not recorded",
};

interface Shown {
  explanation: Explanation;
  x: number;
  y: number;
  back: Element | null;
}

const shown = signal<Shown | null>(null);

/** Opens the explanation beside an element. */
export function explain(anchor: Element, explanation: Explanation): void {
  const box = anchor.getBoundingClientRect();
  shown.value = { explanation, x: box.left, y: box.bottom - 8, back: anchor.closest("button, [tabindex]") };
}

function closeExplanation(): void {
  const back = shown.value?.back;
  shown.value = null;
  if (back instanceof HTMLElement) back.focus();
}

/** Every digit of a value, in its unit. */
export function exact(value: Value | undefined, unit?: string | null): string | undefined {
  if (typeof value !== "number") return undefined;
  return `${value}${unit && unit !== "count" ? ` ${unit}` : ""}`;
}

/** What is said about a headline number. */
export function aboutNumber(entry: NumberEntry, section?: Pick<Section, "id" | "numbers">): Explanation {
  const beside = section?.numbers.filter((one) => one.rank === entry.rank && one.id !== entry.id) ?? [];
  return {
    title: `${words(entry.id)}${entry.rank === null || entry.rank === undefined ? "" : `, rank ${entry.rank}`}`,
    text: format(entry.value, entry.unit),
    ...optional("exact", exact(entry.value, entry.unit)),
    ...optional("formula", entry.explain),
    ...optional("reason", entry.reason),
    // Only those that the sentence speaks of or that have the same unit say something about this one.
    beside: "Next to it, same unit",
    inputs: beside.filter((one) => one.unit === entry.unit).map((one) => [words(one.id), format(one.value, one.unit)] as const),
    provenance: entry.provenance,
    ...optional("section", section?.id),
  };
}

/** What is said about a cell. A number of the section with the name of the column means the same. */
/** How a cell follows from others of its row, with the numbers put in; nothing unless it does to the last digits. */
export function derivation(table: Table, row: readonly Value[], at: number): string | undefined {
  const column = table.columns[at];
  const find = (...ids: string[]) => table.columns.findIndex((one) => ids.includes(one.id));
  const value = row[at];
  const total = find("total_ns", "time_ns");
  const [whole, calls] = [row[total], row[find("calls", "count")]];
  if (!column || typeof value !== "number" || typeof whole !== "number") return undefined;
  const isSame = (made: number) => Math.abs(made - value) <= Math.max(0.5, Math.abs(value) * 1e-6);
  const text = (number: number) => format(number, table.columns[total]?.unit);
  if (/^mean_(ns|time)/.test(column.id) && typeof calls === "number" && calls > 0 && isSame(whole / calls)) return `total / calls = ${text(whole)} / ${thousands(calls)} = ${cell(value, column)}`;
  if (column.id === "share_pct") {
    const all = table.rows.reduce((sum, one) => sum + Number(one[total] ?? 0), 0);
    if (all > 0 && Math.abs((100 * whole) / all - value) < 1e-6 * Math.max(1, value)) return `total / total of all rows = ${text(whole)} / ${text(all)} = ${cell(value, column)}`;
  }
  return undefined;
}

export function aboutCell(table: Table, row: readonly Value[], at: number, section?: Section): Explanation {
  const column = table.columns[at] as Column;
  const meaning = section?.numbers.find((one) => one.id === column.id);
  const value = row[at];
  const reason = value === null ? table.missing?.[column.id] : undefined;
  return {
    title: column.title ?? words(column.id),
    text: cell(value, column),
    ...optional("exact", exact(value, column.unit)),
    formula: [meaning?.explain ?? table.title ?? "", derivation(table, row, at)].filter(Boolean).join(". "),
    beside: "In the same row",
    ...optional("reason", reason),
    inputs: table.columns
      .map((other, index) => [other.title ?? words(other.id), cell(row[index], other)] as const)
      .filter(([, text], index) => index !== at && text !== "-"),
    provenance: meaning?.provenance ?? "formula",
    ...optional("section", section?.id),
    table: table.id,
  };
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, string>>);
}

/** A number that explains itself on a click. */
export function NumberButton({ entry, section }: { entry: NumberEntry; section?: Section | undefined }) {
  return (
    <button
      type="button"
      class="number"
      aria-label={`${words(entry.id)}: ${format(entry.value, entry.unit)}, explain`}
      onClick={(event) => explain(event.currentTarget, aboutNumber(entry, section))}
    >
      {format(entry.value, entry.unit)}
    </button>
  );
}

/** Any number with an explanation made by the caller. */
export function Explained({ about, children }: { about: () => Explanation; children: preact.ComponentChildren }) {
  return (
    <button
      type="button"
      class="number"
      aria-haspopup="dialog"
      onClick={(event) => {
        event.stopPropagation();
        explain(event.currentTarget, about());
      }}
    >
      {children}
    </button>
  );
}

/** The popover itself; the app holds it once. */
export function ExplanationLayer({ document }: { document: Document }) {
  const box = useRef<HTMLDivElement>(null);
  const current = shown.value;
  useLayoutEffect(() => {
    if (!box.current || !current) return;
    const size = box.current.getBoundingClientRect();
    const [left, top] = place(current.x - 12, current.y, size.width, size.height, { width: innerWidth, height: innerHeight });
    box.current.style.transform = `translate(${left}px, ${top}px)`;
    box.current.focus();
  }, [current]);
  useEffect(() => {
    if (!current) return;
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) shown.value = null;
    };
    addEventListener("pointerdown", outside, true);
    const lift = layOver(closeExplanation, false);
    return () => {
      removeEventListener("pointerdown", outside, true);
      lift();
    };
  }, [current]);
  if (!current) return null;
  const { explanation } = current;
  const home = explanation.section && sectionOf(document, explanation.section);
  return (
    <div class="explanation" role="dialog" aria-label={`About ${explanation.title}`} tabIndex={-1} ref={box}>
      <header>
        <span>{explanation.title}</span>
        <button type="button" class="icon" aria-label="Close" onClick={() => closeExplanation()}>
          ×
        </button>
      </header>
      <p class="big">
        {explanation.text}
        {explanation.exact && explanation.exact !== explanation.text ? <small>{explanation.exact}</small> : null}
      </p>
      {explanation.reason ? <p class="warning-text">No value: {explanation.reason}</p> : null}
      {explanation.formula ? <p>{explanation.formula}</p> : null}
      {explanation.provenance ? (
        <p class="quiet">
          <b>{explanation.provenance}</b>: {PROVENANCE[explanation.provenance] ?? ""}
        </p>
      ) : null}
      {explanation.inputs?.length && explanation.beside ? <p class="quiet">{explanation.beside}</p> : null}
      {explanation.inputs?.length ? (
        <dl class="lines">
          {explanation.inputs.slice(0, 10).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value.length > 80 ? `${value.slice(0, 79)}…` : value}</dd>
            </div>
          ))}
        </dl>
      ) : null}
      {home ? (
        <footer>
          <button
            type="button"
            class="link"
            onClick={() => {
              shown.value = null;
              showSection(home.id, explanation.table);
            }}
          >
            {home.title}
            {explanation.table ? `, table ${explanation.table}` : ""}
          </button>
          <code>{`${home.id}${explanation.table ? `/${explanation.table}` : ""}`}</code>
        </footer>
      ) : null}
    </div>
  );
}

/** Opens the view of all sections at one of them. */
export function showSection(id: string, table?: string): void {
  set("sections.open", id);
  set("sections.table", table ?? null);
  view.value = "sections";
}

