import { expect, test } from "vitest";
import { factors, links, messages, reached } from "../../src/views/communication/points";
import { beside } from "../../src/views/devices/side-by-side";
import { withUnits } from "../../src/views/devices/roofs";
import { ranked } from "../../src/views/overview/findings";
import { type Document, type Finding, owner, type Section, type Table } from "../../src/source/document";
import { aboutCell, aboutNumber } from "../../src/kit/explain";

const table = (id: string, columns: string[], rows: Table["rows"]): Table => ({ id, columns: columns.map((column) => ({ id: column, title: column, unit: null })), rows });
const section = (id: string, more: Partial<Section> = {}): Section => ({ id, title: id, numbers: [], tables: [], findings: [], ...more });
const report = (...sections: Section[]): Document => ({ schema: "eaves.report/1", tool: { name: "eaves", version: "1" }, inputs: [], warnings: [], skipped: [], sections });
const finding = (id: string, severity: Finding["severity"], gain_ns: Finding["gain_ns"] = null, gain_of: Finding["gain_of"] = null): Finding => ({ id, severity, claim: id, gain_ns, gain_of, evidence: "", next: "" });

test("findings are in the order of the document, those of older reports by section", () => {
  const at = (place: number, one: Finding): Finding => ({ ...one, place });
  const found = ranked(
    report(
      section("a", { findings: [at(3, finding("unknown", "info")), at(2, finding("whole", "info", [0, 3_000_000], "selection"))] }),
      section("b", { findings: [at(1, finding("step", "warning", [0, 1_000_000], "step"))] }),
    ),
  );
  expect(found.map((one) => [one.finding.id, one.section.id])).toEqual([["step", "b"], ["whole", "a"], ["unknown", "a"]]);
  const old = ranked(report(section("a", { findings: [finding("one", "info"), finding("two", "critical")] }), section("b", { findings: [finding("three", "info")] })));
  expect(old.map((one) => one.finding.id)).toEqual(["one", "two", "three"]);
});

test("what was reached is that of the messages that are drawn", () => {
  const lines = (name: string) => table("reached", ["name", "sizes", "bus_factor", "startup_ns", "bandwidth_gbps", "knee_bytes"], [[name, 3, 1.5, 1e4, 100, 666_667], ["near", 2, 1, null, 90, null], ["broken", 2, null, 1, 1, 1]]);
  const collectives = section("collectives", { tables: [lines("all_reduce")] });
  expect(reached(report(collectives))).toEqual([
    { name: "all_reduce", factor: 1.5, startup: 1e4, gbps: 100, knee: 666_667 },
    { name: "near", factor: 1, startup: null, gbps: 90, knee: null },
  ]);
  expect(reached(report(collectives, section("comm-roofline", { tables: [lines("send")] }))).map((one) => one.name)).toEqual(["send", "near"]);
  expect(reached(report())).toEqual([]);
});

test("calls that were not matched are messages, with what they waited", () => {
  const sums = section("collectives", { tables: [table("by_collective", ["kind", "group", "bytes", "calls", "total_ns", "bus_gbps", "bus_factor"], [["all_reduce", null, 100, 3, 150, 12, 1.5]])] });
  expect(messages(report(sums)).map((one) => [one.name, one.gbps, one.calls, one.time])).toEqual([["all_reduce", 12, 3, 150]]);
});

const SUMS = section("collectives", {
  tables: [
    table("by_collective", ["kind", "group", "bytes", "bus_factor", "exposed_pct"], [["all_reduce", "0", 100, 1.5, 40], ["all_reduce", "1", 100, 1.75, 10]]),
    table("skew", ["kind", "group", "bytes", "collectives", "mean_transfer_ns", "bus_gbps", "bus_factor"], [["all_reduce", "0", 100, 3, 50, 12, 1.5], ["barrier", "0", null, 3, 50, null, null]]),
  ],
});

test("messages have the factor and the exposed share of the collective of the same kind, group and size", () => {
  const roofline = section("comm-roofline", {
    tables: [
      table("events", ["link", "name", "bytes", "calls", "time_ns", "achieved_gbps", "utilisation_pct"], [["NVLink", "all_reduce (1)", 100, 2, 9, 20, 5], [null, "all_reduce (1)", 999, 2, 9, 20, null], [null, "no size", 0, 2, 9, 20, null]]),
      table("links", ["name", "total_gbps", "protocol_gbps"], [["NVLink", 300, 282.4], ["unknown", null, null]]),
    ],
  });
  const found = messages(report(SUMS, roofline));
  expect(found.map((one) => [one.bytes, one.factor, one.exposed, one.link])).toEqual([[100, 1.75, 10, "NVLink"], [999, null, null, null]]);
  expect(links(report(roofline)).map((link) => [link.name, link.wire, link.protocol])).toEqual([["NVLink", 300, 282.4]]);
  expect(factors(found)).toEqual(["all_reduce, group 1 × 1.75"]);
});

test("without a roofline of communication the matched collectives are drawn", () => {
  expect(messages(report(SUMS)).map((one) => [one.name, one.gbps, one.calls, one.time, one.factor])).toEqual([["all_reduce (0)", 12, 3, 150, 1.5]]);
});

test("devices side by side: what one lacks is not there, and nothing gets into another's column", () => {
  const device = (...rows: Table["rows"]) => report(section("devices", { tables: [table("peaks", ["peak", "kind", "rate_gflops"], rows), table("memory", ["id", "name", "bandwidth_gbps", "size_bytes"], [["hbm", "HBM3", 3350, 80]])] }));
  const found = beside([
    { id: "one", document: device(["bf16_matrix", "dense", 989], ["bf16_matrix", "sparse", 1979]) },
    { id: "two", document: device(["fp8_matrix", "dense", 2615]) },
  ]);
  expect(found.columns.map((column) => column.title)).toEqual(["Device", "bf16 matrix", "bf16 matrix sparse", "hbm bandwidth", "hbm size", "fp8 matrix"]);
  expect(found.rows).toEqual([["one", 989, 1979, 3350, 80, null], ["two", null, null, 3350, 80, 2615]]);
});

test("roofs get the unit of what they count, and stay as they are if that is not known", () => {
  const roofs = table("roofs", ["name", "kind", "rate", "counts", "knee"], [["HBM", "memory", 2039, "byte", null], ["bf16", "compute", 312000, "flop", 153]]);
  const found = withUnits(roofs);
  expect(found.columns.map((column) => column.unit)).toEqual([null, null, "GB/s", "GFLOP/s", null]);
  expect(found.rows).toEqual([["HBM", "memory", 2039, null, null], ["bf16", "compute", null, 312000, 153]]);
  const macs = { ...roofs, rows: [["x", "compute", 1, "mac", null]] };
  expect(withUnits(macs)).toBe(macs);
});

test("rows are of a rank, and of an input where ranks are alike", () => {
  expect(owner({ index: 0, rank: 3 })).toBe("rank 3");
  expect(owner({ index: 0, rank: 0, input: "/a/b/trace.json" })).toBe("rank 0, trace.json");
  expect(owner({ index: 0, rank: null })).toBe("all");
});

test("a number and a cell of its name are explained by the same words; a missing value says why", () => {
  const one = section("s", { numbers: [{ id: "idle_ns", rank: 1, value: 1234567, unit: "ns", provenance: "counter", explain: "what it is" }, { id: "span_ns", rank: 1, value: 5e9, unit: "ns", provenance: "formula", explain: "all of it" }] });
  expect(aboutNumber(one.numbers[0]!, one)).toMatchObject({ title: "Idle, rank 1", text: "1.23 ms", exact: "1234567 ns", formula: "what it is", provenance: "counter", inputs: [["Span", "5.00 s"]], section: "s" });
  const cells: Table = { id: "t", title: "T", columns: [{ id: "rank" }, { id: "idle_ns", title: "Idle", unit: "ns" }], rows: [[0, 10], [1, null]], missing: { idle_ns: "not recorded" } };
  expect(aboutCell(cells, cells.rows[0]!, 1, one)).toMatchObject({ title: "Idle", text: "10 ns", formula: "what it is", provenance: "counter", table: "t", inputs: [["Rank", "0"]] });
  expect(aboutCell(cells, cells.rows[1]!, 1, one)).toMatchObject({ text: "-", reason: "not recorded" });
});
