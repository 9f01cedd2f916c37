// The examples of `crates/present/src/names.rs`.

import { expect, test } from "vitest";
import { shorten } from "../../src/kit/names";

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
