// A server of eaves, whose interface `/api/v1/openapi.json` describes.

import type { Document } from "./document";
import type { Message, Source } from "./index";
import type { Reviver } from "./integers";

/** The run in the address, `?run=3`; the newest one without. */
export function run(): string {
  return new URLSearchParams(location.search).get("run") ?? "latest";
}

/** A server that wants a token was opened with it in the address. */
function token(): Record<string, string> {
  const given = new URLSearchParams(location.search).get("token");
  return given ? { authorization: `Bearer ${given}` } : {};
}

/** The server's own words, and the status they came with. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...options, headers: { ...token(), ...options.headers } });
  if (response.ok) return response;
  const text = await response.text();
  let message = `${response.status} ${response.statusText}`;
  try {
    const problem = JSON.parse(text) as { error?: string; hint?: string };
    message = [problem.error, problem.hint].filter(Boolean).join("; ") || message;
  } catch {
    message = text || message;
  }
  throw new Refused(message, response.status);
}

export function httpSource(): Source {
  return {
    live: true,
    async document() {
      return (await (await request(`/api/v1/runs/${run()}/document`)).json()) as Document;
    },
    async part(name, query = {}, of = run()) {
      const search = new URLSearchParams(query).toString();
      const response = await request(`/api/v1/runs/${of}/${name}${search ? `?${search}` : ""}`);
      return response.arrayBuffer();
    },
    async ask<Answer>(path: string, body?: unknown, method = body === undefined ? "GET" : "POST", revive?: Reviver) {
      const options: RequestInit = { method };
      if (body instanceof FormData) {
        options.body = body;
      } else if (body !== undefined) {
        options.body = JSON.stringify(body);
        options.headers = { "content-type": "application/json" };
      }
      return JSON.parse(await (await request(`/api/v1/${path}`, options)).text(), revive) as Answer;
    },
    listen(path: string, hear: (message: Message) => void) {
      const given = new URLSearchParams(location.search).get("token");
      const events = new EventSource(`/api/v1/${path}${given ? `?token=${encodeURIComponent(given)}` : ""}`);
      events.onmessage = (event) => hear(JSON.parse(event.data as string) as Message);
      // The browser connects again by itself. What happened in between nobody told, so it may be anything.
      let wasLost = false;
      events.onerror = () => (wasLost = true);
      events.onopen = () => {
        if (wasLost) hear({ kind: "run", data: null });
        wasLost = false;
      };
      return () => events.close();
    },
  };
}
