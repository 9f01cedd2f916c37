// A table of the document: any number of rows, sorted, filtered, walked by keyboard, its names selected in every view.

import { useId, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { cell, counted, isChange, tendency, thousands } from "../format";
import type { Section, Table } from "../source/document";
import { rank, select, selected, set, setting, toggle } from "../state";
import { aboutCell, explain } from "./explain";
import { shorten, shortenAll } from "./names";
import { arrange, nameColumn, PATHS, seen, type Shape, shapes } from "./rows";
import { useWidth } from "./size";

const ROW = 26;
/** Pixels of a digit, about: fonts differ. */
const LETTER = 7.9;

interface Props {
  table: Table;
  section?: Section | undefined;
  /** Under which sorting and filter are kept in the address. */
  id: string;
  /** Ids of the columns to show; all without. */
  columns?: readonly string[] | undefined;
  /** How it is sorted at first: id of a column, `-` before it for the largest first. */
  sort?: string;
  /** Rows on the screen at most; more are scrolled. */
  rows?: number;
  /** Without the field above it. */
  bare?: boolean;
}

interface Place {
  row: number;
  column: number;
}

export function DataTable({ table, section, id, columns, sort: first, rows: most = 16, bare = false }: Props) {
  const key = useId();
  const [scroll, width] = useWidth<HTMLDivElement>(1100);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState<Place | null>(null);
  const sort = setting(`${id}.sort`, first ?? "");
  const filter = setting(`${id}.filter`);
  const only = rank.value;
  // In steps, so that a window that is dragged wider does not lay out every table at every pixel.
  const letters = Math.floor(width / LETTER / 8) * 8;
  const shown = useMemo(() => shapes(table, columns, letters), [table, columns?.join(), letters]);
  const order = useMemo(() => arrange(table, { sort, filter, rank: only }), [table, sort, filter, only]);
  const name = nameColumn(table);
  const titles = useMemo(() => shortNames(table, shown), [table, shown]);
  const verdict = table.columns.findIndex((column) => column.id === "verdict");
  const height = Math.min(order.length, most) * ROW;
  const [from, to] = seen(order.length, top, height + ROW, ROW);
  const names = selected.value;

  // The row that the keyboard is on must be on the page, else nobody sees it.
  useLayoutEffect(() => {
    const box = scroll.current;
    if (!box || !active) return;
    const head = box.querySelector("thead")?.getBoundingClientRect().height ?? 0;
    const at = active.row * ROW;
    if (at < box.scrollTop) box.scrollTop = at;
    else if (at + ROW > box.scrollTop + box.clientHeight - head) box.scrollTop = at + ROW - box.clientHeight + head;
    const part = box.querySelector(`#${CSS.escape(cellId(key, active))}`);
    part?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);

  const explainCell = (anchor: Element, row: number, shape: Shape) => {
    const values = table.rows[row];
    if (values) explain(anchor, aboutCell(table, values, shape.at, section));
  };
  const choose = (row: number, more: boolean) => {
    const chosen = table.rows[row]?.[name];
    if (typeof chosen !== "string") return;
    if (more) toggle(chosen);
    else select(names.size === 1 && names.has(chosen) ? [] : [chosen]);
  };
  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    const found = target.closest<HTMLElement>("[data-row]");
    if (!found) return;
    const [row, column] = [Number(found.dataset.row), Number(found.dataset.column)];
    const at = order[row];
    const shape = shown[column];
    if (at === undefined || !shape) return;
    setActive({ row, column });
    if (target.closest(".number")) explainCell(target, at, shape);
    else choose(at, event.ctrlKey || event.metaKey || event.shiftKey);
  };
  const press = (event: KeyboardEvent) => {
    const now = active ?? { row: 0, column: 0 };
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const last = order.length - 1;
    const steps: Record<string, Place> = {
      ArrowDown: { ...now, row: active ? now.row + 1 : 0 },
      ArrowUp: { ...now, row: now.row - 1 },
      ArrowRight: { ...now, column: now.column + 1 },
      ArrowLeft: { ...now, column: now.column - 1 },
      PageDown: { ...now, row: now.row + page },
      PageUp: { ...now, row: now.row - page },
      Home: { row: 0, column: event.ctrlKey ? 0 : now.column },
      End: { row: last, column: now.column },
    };
    const next = steps[event.key];
    const at = order[now.row];
    const shape = shown[now.column];
    if (next) {
      setActive({ row: Math.max(0, Math.min(next.row, last)), column: Math.max(0, Math.min(next.column, shown.length - 1)) });
    } else if (event.key === "Enter" && at !== undefined && shape) {
      const anchor = scroll.current?.querySelector(`#${CSS.escape(cellId(key, now))}`);
      if (anchor && (shape.kind === "number" || shape.kind === "share")) explainCell(anchor, at, shape);
      else choose(at, false);
    } else if (event.key === " " && at !== undefined) choose(at, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const total = table.rows.length;
  return (
    <div class="data-table">
      {bare || total < 6 ? null : (
        <div class="table-tools">
          <input
            type="search"
            placeholder="Filter: words, -word, calls>100, total_ns>1ms"
            aria-label={`Filter ${table.title ?? table.id}`}
            value={filter}
            onInput={(event) => set(`${id}.filter`, event.currentTarget.value || null)}
          />
          <span class="quiet" role="status">
            {order.length === total ? counted(total, "row") : `${thousands(order.length)} of ${counted(total, "row")}`}
          </span>
        </div>
      )}
      <div class="scroll" ref={scroll} style={{ maxHeight: `${most * ROW + 46}px` }} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <table
          role="grid"
          tabIndex={0}
          aria-label={table.title ?? table.id}
          aria-rowcount={order.length + 1}
          aria-multiselectable={true}
          aria-activedescendant={active && active.row < order.length ? cellId(key, active) : undefined}
          onKeyDown={press}
          onClick={click}
          style={{ minWidth: `${shown.reduce((sum, shape) => sum + shape.width, 0)}ch` }}
        >
          <colgroup>
            {shown.map((shape) => (
              <col key={shape.column.id} style={{ width: `${shape.width}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {shown.map((shape) => (
                <Heading key={shape.column.id} shape={shape} sort={sort} choose={(next) => set(`${id}.sort`, next)} />
              ))}
            </tr>
          </thead>
          <tbody>
            {from > 0 ? <tr aria-hidden="true" style={{ height: `${from * ROW}px` }} /> : null}
            {order.slice(from, to).map((at, index) => {
              const values = table.rows[at] ?? [];
              const chosen = name >= 0 && typeof values[name] === "string" && names.has(values[name]);
              const row = from + index;
              return (
                <tr key={at} aria-rowindex={row + 2} aria-selected={name >= 0 ? chosen : undefined}>
                  {shown.map((shape, column) => {
                    const value = values[shape.at];
                    const text = cell(value, shape.column, shape.isFloat);
                    const isNumber = shape.kind === "number" || shape.kind === "share";
                    const here = active?.row === row && active.column === column;
                    const tone = isChange(shape.column) || shape.at === verdict ? (tendency(values[verdict]) ?? "") : "";
                    return (
                      <td
                        key={shape.column.id}
                        role="gridcell"
                        id={cellId(key, { row, column })}
                        data-row={row}
                        data-column={column}
                        class={`${shape.kind} ${tone}${here ? " here" : ""}`}
                        title={isNumber ? undefined : text.length > shape.width - 2 ? text : undefined}
                        style={shape.kind === "share" && typeof value === "number" ? { "--part": `${Math.max(0, Math.min(100, value))}%` } : undefined}
                      >
                        {isNumber || value === null ? <span class="number">{text}</span> : shape.kind === "name" ? (titles?.[at] ?? shorten(text, shape.width - 2)) : PATHS.has(shape.column.id) ? shorten(text, shape.width - 2) : text}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            {to < order.length ? <tr aria-hidden="true" style={{ height: `${(order.length - to) * ROW}px` }} /> : null}
          </tbody>
        </table>
        {order.length === 0 ? <p class="empty">{total === 0 ? "No rows." : "No row matches."}</p> : null}
      </div>
    </div>
  );
}

/** Names are told apart from all others of the table up to here; of more, nobody sees two at a time. */
const TOLD_APART = 2000;

/** The names of all rows in the room of their column; null if there are too many to compare. */
function shortNames(table: Table, shown: readonly Shape[]): string[] | null {
  const shape = shown.find((one) => one.kind === "name");
  if (!shape || table.rows.length > TOLD_APART) return null;
  return shortenAll(table.rows.map((row) => String(row[shape.at] ?? "")), shape.width - 2);
}

function cellId(table: string, place: Place): string {
  return `${table}-${place.row}-${place.column}`;
}

function Heading({ shape, sort, choose }: { shape: Shape; sort: string; choose(next: string | null): void }) {
  const { id } = shape.column;
  const way = sort === id ? "ascending" : sort === `-${id}` ? "descending" : undefined;
  const isNumber = shape.kind === "number" || shape.kind === "share";
  // Largest first is what is asked of numbers, A first of names; then the other way; then as the document has it.
  const cycle = isNumber ? [`-${id}`, id, null] : [id, `-${id}`, null];
  const now = cycle.indexOf(sort as never);
  return (
    <th scope="col" class={shape.kind} aria-sort={way}>
      <button type="button" onClick={() => choose(cycle[(now + 1) % 3] ?? null)} title={`${id}: sort`}>
        {shape.column.title ?? id}
        <span aria-hidden="true">{way === "ascending" ? " ▲" : way === "descending" ? " ▼" : ""}</span>
      </button>
    </th>
  );
}
