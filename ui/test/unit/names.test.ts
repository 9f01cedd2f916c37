// The examples of `crates/present/src/names.rs`.

import { expect, test } from "vitest";
import { shorten, shortenAll } from "../../src/kit/names";

const ADD =
  "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
const RSQRT =
  "void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::rsqrt_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}, std::array<char*, 2ul>)";

test.each([
  [ADD, 60, "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"],
  [RSQRT, 60, "vectorized_elementwise_kernel<4, rsqrt_kernel_cuda>"],
  [ADD, 34, "vectorize…<CUDAFunctor_add<float>>"],
  ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 40, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"],
  [
    "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float const*, float*)",
    80,
    "nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>",
  ],
  ["void at::native::(anonymous namespace)::pow<float>(int)", 30, "pow<float>"],
  ["Cijk_Alik_Bljk_BBS_BH_UserArgs_MT256x128x64_MI16x16x1_SN", 36, "Cijk_Alik_Bljk_BBS_BH…_MT256x128x64…"],
  ["Memcpy HtoD (Pageable -> Device)", 20, "Memcpy…le -> Device)"],
  ["torch/nn/modules/module.py(1501): _call_impl", 30, "torch/nn/…py(1501): _call_impl"],
])("%s in %d letters", (name, width, short) => expect(shorten(name, width)).toBe(short));

test("a name that fits stays as it is", () => {
  for (const name of ["aten::mm", "Memcpy HtoD (Pageable -> Device)", "<built-in method x of y>", "f(int)", ""]) {
    expect(shorten(name, 40)).toBe(name);
  }
});

test("no name gets wider than its room, however its brackets stand", () => {
  const pieces = ["void ", "a::", "<", ">", "(", ")", "{", "}", "kernel", ", ", "4", "elementwise_kernel", "…", "::operator()", "Cijk_", "_MT1x1"];
  let seed = 1;
  for (let round = 0; round < 5000; round++) {
    let name = "";
    for (let part = 0; part < 12; part++) {
      seed = (seed * 48271) % 2147483647;
      name += pieces[seed % pieces.length];
    }
    for (const width of [1, 2, 5, 9, 30]) expect(shorten(name, width).length).toBeLessThanOrEqual(width);
  }
});

test("names that differ stay told apart, in their room, and equal ones stay equal", () => {
  let seed = 3;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  for (let round = 0; round < 300; round++) {
    const start = ["void at::native::elementwise_kernel<", "Cijk_Ailk_Bljk_MT128_", "x".repeat(50), "a::b("][next(4)] ?? "";
    const names = Array.from({ length: 12 }, () => start + "ab,<>:(".charAt(next(7)).repeat(next(60)) + "pq".charAt(next(2)).repeat(next(30)));
    const width = 16 + next(40);
    const short = shortenAll(names, width);
    names.forEach((name, at) => {
      expect(short[at]?.length).toBeLessThanOrEqual(width);
      names.forEach((other, place) => expect(short[at] === short[place]).toBe(name === other));
    });
  }
});

test("the examples of `shorten_all`", () => {
  const tile = (size: string) => `Gemm_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_${size}_MI16x16x1_SN_LDSB1_AFC1_WG64_4_1`;
  const [a, b] = [tile("MT256x128x64"), tile("MT128x128x64")];
  expect(shortenAll([a, b, a], 30)).toEqual(["Gemm_Alik_…gs_MT256x128x64_MI…", "Gemm_Alik_…gs_MT128x128x64_MI…", "Gemm_Alik_…gs_MT256x128x64_MI…"]);
  const name = (early: string, late: string) => "a".repeat(30) + early + "b".repeat(30) + late + "c".repeat(30);
  const three = shortenAll([name("x", "1"), name("x", "2"), name("y", "1")], 20);
  expect(new Set(three).size).toBe(3);
  for (const short of three) expect(short.length <= 20 && !short.includes("#")).toBe(true);
  const same = shortenAll(["x".repeat(50), "x".repeat(51), "x".repeat(50)], 10);
  expect([same[0] === same[1], same[0] === same[2]]).toEqual([false, true]);
});
