import { expect, test } from "vitest";
import { beginning } from "../../src/live";
import type { Document, Section } from "../../src/source/document";
import { START } from "../../src/source/start";
import type { Source } from "../../src/source";
import { tabs } from "../../src/views";

const source = { live: true } as Source;
const section = (id: string): Section => ({ id, title: id, numbers: [], tables: [], findings: [] });
const report = (...ids: string[]): Document => ({ ...START, schema: "eaves.report/1", sections: ids.map(section) });

test("without a run there are the views that need none", () => {
  expect(tabs({ source, document: START }).map((one) => one.id)).toEqual(["devices", "bench", "live", "open"]);
  expect(beginning(START)).toBe("open");
  expect(tabs({ source, document: report("kernels") }).length).toBeGreaterThan(10);
});

test("a report begins where its sections are seen best", () => {
  expect(beginning(report("temporal-breakdown", "roofline"))).toBe("overview");
  expect(beginning(report("roofline"))).toBe("roofline");
  expect(beginning(report("comm-roofline"))).toBe("communication");
  expect(beginning(report("graph-breaks", "compile-time"))).toBe("compile");
  expect(beginning(report("memory"))).toBe("memory");
  expect(beginning(report())).toBe("overview");
});
