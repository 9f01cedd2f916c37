import { beforeEach, expect, test } from "vitest";
import { decode, encode, made, range, rank, select, selected, set, setting, settings, toggle, usual, view } from "../../src/state";

beforeEach(() => decode(""));

test("the address holds all that is shared, and gives it back", () => {
  view.value = "kernels";
  select(["void f<int>(a&b=c#d)", "ampere 100 %", "<script>alert(1)</script>", "µ …"]);
  range.value = [-5, 1_234_567_890_123];
  rank.value = 0;
  set("kernels.by_name.sort", "-total_ns");
  set("kernels.by_name.filter", "calls>10 & x=y");
  const hash = encode();
  decode("");
  expect([view.value, selected.value.size, range.value, rank.value, Object.keys(settings.value)]).toEqual(["overview", 0, null, null, []]);
  decode(`#${hash}`);
  expect(view.value).toBe("kernels");
  expect([...selected.value]).toEqual(["void f<int>(a&b=c#d)", "ampere 100 %", "<script>alert(1)</script>", "µ …"]);
  expect(range.value).toEqual([-5, 1_234_567_890_123]);
  expect(rank.value).toBe(0);
  expect(setting("kernels.by_name.sort")).toBe("-total_ns");
  expect(setting("kernels.by_name.filter")).toBe("calls>10 & x=y");
  expect(encode()).toBe(hash);
});

test("nonsense in the address is nothing", () => {
  decode("#time=9-3&rank=many&select=");
  expect([range.value, rank.value]).toEqual([null, null]);
  decode("%%%&&&==");
  expect(view.value).toBe("overview");
});

test("a name is put in and taken out", () => {
  toggle("a");
  toggle("b");
  toggle("a");
  expect([...selected.value]).toEqual(["b"]);
});

test("a setting at its default is not in the address", () => {
  set("x.y", "1");
  expect(encode()).toContain("x.y=1");
  set("x.y", null);
  expect(encode()).not.toContain("x.y");
  expect(setting("x.y", "otherwise")).toBe("otherwise");
});

test("what the page was made with holds until somebody changes it, and is not in the address", () => {
  made.value = { "roofline.palette": "classic", theme: "dark" };
  expect([setting("roofline.palette", "safe"), setting("theme", "auto"), usual("roofline.palette", "safe")]).toEqual(["classic", "dark", "classic"]);
  expect(encode()).not.toContain("palette");
  set("roofline.palette", "safe");
  expect(setting("roofline.palette", "safe")).toBe("safe");
  expect(encode()).toContain("palette=safe");
  made.value = {};
});
