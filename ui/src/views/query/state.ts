// The question that was asked last and what came back. It stays while other views are open.

import { signal } from "@preact/signals";
import type { Source } from "../../source";
import type { Table } from "../../source/document";
import { run } from "../../source/http";
import { keepDigits } from "../../source/integers";
import { type Answer, MOST_ROWS, tableOf } from "./answer";

export interface Asked {
  sql: string;
  table?: Table;
  truncated?: boolean;
  /** From the click to the answer. */
  milliseconds?: number;
  problem?: string;
}

export const asked = signal<Asked | null>(null);
export const isAsking = signal(false);

let last = 0;

/** Asks; what was asked before and is not answered yet is forgotten. */
export async function ask(source: Source, sql: string): Promise<void> {
  if (!sql.trim()) return;
  last += 1;
  const mine = last;
  const start = performance.now();
  isAsking.value = true;
  let next: Asked;
  try {
    const answer = await source.ask<Answer>(`runs/${encodeURIComponent(run())}/query`, { sql, limit: MOST_ROWS }, "POST", keepDigits);
    next = { sql, table: tableOf(answer), truncated: answer.truncated, milliseconds: performance.now() - start };
  } catch (error) {
    next = { sql, problem: error instanceof Error ? error.message : String(error) };
  }
  if (mine !== last) return;
  asked.value = next;
  isAsking.value = false;
}
