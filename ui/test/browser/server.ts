// A server with the interface of `eaves open`, as far as the page asks for it here, and with its rules for pages.

import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Document } from "../../src/source/document";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface Answers {
  runs: { id: string; title: string }[];
  documents: Record<string, Document>;
  /** By `new<base`. */
  diffs?: Record<string, Document>;
  rooflines?: Record<string, Document>;
  devices?: Document;
  device?: Record<string, Document>;
  /** What can be asked in SQL; without, the server is a build without it. */
  tables?: unknown;
  /** The status and the body for a question. */
  query?(question: { sql: string; limit: number }): [number, unknown];
}

export interface Running {
  address: string;
  /** Tells every page that listens. */
  tell(kind: string): void;
  /** Waits until a page listens. */
  heard(): Promise<void>;
  stop(): Promise<void>;
}

export async function serve(answers: Answers): Promise<Running> {
  const listeners = new Set<ServerResponse>();
  let arrived: () => void = () => {};
  const first = new Promise<void>((done) => (arrived = done));
  const built = process.env.EAVES_PAGE ?? "";
  const files: Record<string, [string, string]> = {
    "/app.js": ["text/javascript", readFileSync(join(built, "app.js"), "utf8")],
    "/app.css": ["text/css", readFileSync(join(built, "app.css"), "utf8")],
    "/": ["text/html", `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>eaves</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/app.css"></head><body><div id="app"${answers.tables ? "" : ' data-lacks="sql"'}></div><script type="module" src="/app.js"></script></body></html>`],
  };
  const find = (path: string, search: URLSearchParams): unknown => {
    const [, , , kind, id = "", part] = path.split("/");
    const run = id === "latest" ? answers.runs.at(-1)?.id ?? "" : id;
    if (kind === "runs" && !id) return answers.runs;
    if (kind === "runs" && part === "document") return answers.documents[run];
    if (kind === "runs" && part === "diff") return answers.diffs?.[`${run}<${search.get("base")}`];
    if (kind === "runs" && part === "roofline") return answers.rooflines?.[run];
    if (kind === "devices") return id ? answers.device?.[decodeURIComponent(id)] : answers.devices;
    return undefined;
  };
  /** A report of a part of a run: here that of all of it. */
  const report = (body: string): unknown => {
    const [wanted] = (JSON.parse(body) as { inputs: string[] }).inputs;
    const id = wanted?.replace("run:", "") ?? "";
    return answers.documents[id === "latest" ? answers.runs.at(-1)?.id ?? "" : id];
  };
  const sql = (path: string, body: string): [number, unknown] => {
    if (!answers.tables) return [501, { error: "this build of eaves has no SQL", hint: "build it with `--features sql`" }];
    if (path.endsWith("/query/tables")) return [200, answers.tables];
    return answers.query?.(JSON.parse(body) as { sql: string; limit: number }) ?? [404, {}];
  };
  const server: Server = createServer(async (request, response) => {
    const address = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("content-security-policy", POLICY);
    const file = files[address.pathname];
    if (file) {
      response.setHeader("content-type", `${file[0]}; charset=utf-8`);
      response.end(file[1]);
    } else if (address.pathname === "/api/v1/events") {
      response.setHeader("content-type", "text/event-stream");
      response.write(": hello\n\n");
      listeners.add(response);
      arrived();
    } else {
      let body = "";
      for await (const part of request) body += String(part);
      const [status, found] = /\/query(\/tables)?$/.test(address.pathname) ? sql(address.pathname, body) : [200, address.pathname.endsWith("/verbs/report") ? report(body) : find(address.pathname, address.searchParams)];
      response.statusCode = found === undefined ? 404 : status;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(found ?? { error: `there is nothing at ${address.pathname}`, hint: "the runs are at /api/v1/runs" }));
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    tell: (kind) => {
      for (const one of listeners) one.write(`data: ${JSON.stringify({ kind, data: null })}\n\n`);
    },
    heard: () => first,
    stop: () =>
      new Promise((done) => {
        for (const one of listeners) one.end();
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
