// The examples of `crates/present/src/human.rs`: what the terminal prints, the page prints.

import { describe, expect, test } from "vitest";
import { bytes, cell, counted, decimal, duration, fixed, format, MISSING, number, percent, ranges, tendency, thousands, words } from "../../src/format";

describe("format", () => {
  test.each([
    [0, "0 ns"],
    [999, "999 ns"],
    [1_000, "1.00 µs"],
    [-1_500, "-1.50 µs"],
    [999_994, "999.99 µs"],
    [999_995, "1.00 ms"],
    [999_999_999, "1.00 s"],
    [12_345_678, "12.35 ms"],
    [1_234_560_000_000, "1,234.56 s"],
    [-(2 ** 63), "-9,223,372,036.85 s"],
  ])("a duration of %d ns is %s", (ns, text) => expect(duration(ns)).toBe(text));

  test.each([
    [0, "0 B"],
    [1_023, "1023 B"],
    [1_024, "1.0 KiB"],
    [1_048_575, "1.0 MiB"],
    [1.5 * 1_073_741_824, "1.5 GiB"],
    [5_000 * 1_099_511_627_776, "5000.0 TiB"],
  ])("a size of %d is %s", (size, text) => expect(bytes(size)).toBe(text));

  test.each([
    [0, "0.0%"],
    [0.04, "<0.1%"],
    [-0.04, ">-0.1%"],
    [55.25, "55.2%"],
    [100, "100.0%"],
    [99.97, ">99.9%"],
  ])("%d percent is %s", (share, text) => expect(percent(share)).toBe(text));

  test("thousands are parted", () => {
    expect(thousands(0)).toBe("0");
    expect(thousands(-1_234_567)).toBe("-1,234,567");
    expect(number(2.64e-7, null)).toBe("2.6e-7");
    expect(number(0, null, true)).toBe("0.00");
    expect(decimal(-0.5)).toBe("-0.50");
    expect(decimal(12_345.678)).toBe("12,345.68");
    expect(counted(1, "row")).toBe("1 row");
    expect(counted(1_000, "row")).toBe("1,000 rows");
  });

  test("ties go to the even digit, as IEEE 754 and Rust have it", () => {
    const ties: [number, number, string][] = [[0.5, 0, "0"], [1.5, 0, "2"], [2.5, 0, "2"], [0.125, 2, "0.12"], [0.375, 2, "0.38"], [-0.125, 2, "-0.12"], [1e22, 1, "10000000000000000000000.0"]];
    for (const [value, digits, text] of ties) expect(fixed(value, digits)).toBe(text);
  });

  test("values follow their unit", () => {
    expect(format(12_345, null)).toBe("12345");
    expect(format(12_345, "count")).toBe("12,345");
    expect(format(12_345, "ns")).toBe("12.35 µs");
    expect(format(1_499.6, "ns")).toBe("1.50 µs");
    expect(format(3.25, "GB/s")).toBe("3.25 GB/s");
    expect(format(137_438_953_472, "FLOP")).toBe("137.44 GFLOP");
    expect(format(999_999_999, "FLOP")).toBe("1.00 GFLOP");
    expect(format(4_096, "count")).toBe("4,096");
    expect(format(0.5, "count")).toBe("0.50");
    expect(format(305_555.56, "GFLOP/s")).toBe("305.56 TFLOP/s");
    expect(format(Number.NaN, "%")).toBe(MISSING);
    expect(format(null, "%")).toBe(MISSING);
  });

  test("changes have their sign, verdicts a tendency", () => {
    expect(cell(1_500, { id: "delta_ns", unit: "ns" })).toBe("+1.50 µs");
    expect(cell(-1_500, { id: "delta_ns", unit: "ns" })).toBe("-1.50 µs");
    expect(cell(1_500, { id: "base_ns", unit: "ns" })).toBe("1.50 µs");
    expect(["faster", "slower", "more", "less", "same"].map(tendency)).toEqual(["better", "worse", "worse", "better", undefined]);
  });

  test("ranks are ranges, ids are words", () => {
    expect(ranges([0, 1, 2, 5, 7, 7, 8])).toBe("0-2, 5, 7-8");
    expect(ranges([])).toBe("");
    expect(words("exposed_comm_ns")).toBe("Exposed comm");
    expect(words("rank")).toBe("Rank");
    expect(words("gpu_idle_pct")).toBe("GPU idle");
  });
});
