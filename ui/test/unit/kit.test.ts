import { afterEach, expect, test, vi } from "vitest";
import { bind, bound, nameOf, press } from "../../src/kit/keys";
import { fit } from "../../src/kit/palette";
import { place } from "../../src/kit/tooltip";
import { check, follow, problem, shown } from "../../src/live";
import { generation } from "../../src/source/cache";
import type { Message, Source } from "../../src/source";
import type { Document } from "../../src/source/document";

afterEach(() => {
  bound.value = [];
  shown.value = null;
  problem.value = null;
});

const event = (key: string, more: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, cancelable: true, ...more });

test("keys have the names that people write", () => {
  expect(nameOf(event("k", { ctrlKey: true }))).toBe("Ctrl+K");
  expect(nameOf(event("k", { metaKey: true }))).toBe("Ctrl+K");
  expect(nameOf(event("?", { shiftKey: true }))).toBe("?");
  expect(nameOf(event("ArrowUp", { shiftKey: true }))).toBe("Shift+ArrowUp");
  expect(nameOf(event(" "))).toBe("Space");
});

test("what was bound last is asked first, may pass on, and goes when it is unbound", () => {
  const heard: string[] = [];
  bind([{ keys: ["a"], does: "first", group: "g", run: () => void heard.push("first") }]);
  const stop = bind([{ keys: ["a"], does: "second", group: "g", run: () => (heard.push("second"), false as const) }]);
  expect(press(event("a"))).toBe(true);
  expect(heard).toEqual(["second", "first"]);
  stop();
  press(event("a"));
  expect(heard).toEqual(["second", "first", "first"]);
  expect(press(event("b"))).toBe(false);
});

test("letters typed into a field are not keys of the page", () => {
  const heard = vi.fn();
  bind([
    { keys: ["a"], does: "a", group: "g", run: heard },
    { keys: ["Escape"], does: "e", group: "g", run: heard, everywhere: true },
  ]);
  const field = document.createElement("input");
  document.body.append(field);
  field.addEventListener("keydown", press);
  field.dispatchEvent(event("a"));
  expect(heard).not.toHaveBeenCalled();
  field.dispatchEvent(event("Escape"));
  expect(heard).toHaveBeenCalledTimes(1);
});

test("titles fit letters: whole words before pieces before strewn letters", () => {
  expect(fit("Kernels", "ker")).toBeGreaterThan(fit("All kernels", "ern"));
  expect(fit("Communication", "comm")).toBeGreaterThan(fit("Communication", "cmn"));
  expect(fit("Communication", "xyz")).toBe(0);
  expect(fit("a very long name that has all of these letters somewhere", "aw")).toBe(0);
  expect(fit("anything", "")).toBe(1);
});

test("a tooltip is inside the window, wherever the pointer is", () => {
  for (const x of [0, 10, 500, 990, 1000]) {
    for (const y of [0, 300, 599]) {
      const [left, top] = place(x, y, 200, 100, { width: 1000, height: 600 });
      expect(left >= 4 && left + 200 <= 996 && top >= 4 && top + 100 <= 596).toBe(true);
    }
  }
});

const DOCUMENT = { schema: "eaves.report/1", tool: { name: "eaves", version: "1" }, inputs: [], warnings: [], skipped: [], sections: [] } as Document;

function source(answers: (() => Promise<Document>)[]): { source: Source; tell(message: Message): void } {
  let hear: (message: Message) => void = () => {};
  return {
    source: {
      live: true,
      document: () => (answers.shift() ?? (() => Promise.reject(new Error("gone"))))(),
      part: () => Promise.resolve(null),
      ask: () => Promise.reject(new Error("no")),
      listen: (_, heard) => {
        hear = heard;
        return () => {};
      },
    },
    tell: (message) => hear(message),
  };
}

test("a run that changed is asked for again; one that cannot be read leaves what was shown", async () => {
  const { source: from, tell } = source([() => Promise.resolve(DOCUMENT), () => Promise.resolve({ ...DOCUMENT, schema: "eaves.comm/1" })]);
  follow(from);
  await vi.waitFor(() => expect(shown.value?.schema).toBe("eaves.report/1"));
  expect(generation.value).toBe(0);
  tell({ kind: "config", data: null });
  tell({ kind: "run", data: null });
  await vi.waitFor(() => expect(shown.value?.schema).toBe("eaves.comm/1"));
  tell({ kind: "run", data: null });
  await new Promise((done) => setTimeout(done));
  expect([shown.value?.schema, problem.value, generation.value]).toEqual(["eaves.comm/1", null, 1]);
});

test("of two answers only that to the last question is shown", async () => {
  let late: (document: Document) => void = () => {};
  const { source: from, tell } = source([() => new Promise((done) => (late = done)), () => Promise.resolve({ ...DOCUMENT, schema: "eaves.comm/1" })]);
  follow(from);
  tell({ kind: "run", data: null });
  await vi.waitFor(() => expect(shown.value?.schema).toBe("eaves.comm/1"));
  late(DOCUMENT);
  await new Promise((done) => setTimeout(done));
  expect(shown.value?.schema).toBe("eaves.comm/1");
});

test("what is no document is told; what a document lacks is empty", () => {
  for (const wrong of [null, 3, "x", [], {}, { schema: 1 }, { schema: "other/1" }]) expect(() => check(wrong)).toThrow(/not an eaves document/);
  expect(check({ schema: "eaves.report/1", sections: [{ id: "a", title: "A" }] })).toMatchObject({ inputs: [], sections: [{ numbers: [], tables: [], findings: [] }] });
});
