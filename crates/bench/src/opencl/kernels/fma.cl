// Multiply-adds in registers: CHAINS independent chains of vectors, each step of which needs the step before. REAL is the
// type, WIDTH the length of its vectors. Chains begin with numbers that are not known when this is compiled.
#ifdef HALF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define JOIN(a, b) a##b
#define VECTOR(type, width) JOIN(type, width)

#ifndef INTEGER
typedef VECTOR(REAL, WIDTH) reals;

// out[item] = the sum of the chains in order, which began with seeds[item % period] + chain and did a = a * x + y.
__kernel void fma_chains(
    __global reals *out, __global const reals *seeds, uint period, REAL x, REAL y, uint rounds, uint items)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
    const reals xs = (reals)(x), ys = (reals)(y);
    const reals a = seeds[item % period];
    reals a0 = a, a1 = a + (REAL)1, a2 = a + (REAL)2, a3 = a + (REAL)3, a4 = a + (REAL)4, a5 = a + (REAL)5,
          a6 = a + (REAL)6, a7 = a + (REAL)7, a8 = a + (REAL)8, a9 = a + (REAL)9;
    for (uint i = 0; i < rounds; i++) {
        a0 = fma(a0, xs, ys);
        a1 = fma(a1, xs, ys);
        a2 = fma(a2, xs, ys);
        a3 = fma(a3, xs, ys);
        a4 = fma(a4, xs, ys);
        a5 = fma(a5, xs, ys);
        a6 = fma(a6, xs, ys);
        a7 = fma(a7, xs, ys);
        a8 = fma(a8, xs, ys);
        a9 = fma(a9, xs, ys);
    }
    out[item] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;
}
#else
typedef VECTOR(uint, WIDTH) words;
typedef VECTOR(int, WIDTH) numbers;

// The four bytes of each word times the four of `b`, summed, plus the word. The word is its own left operand, so that
// taking its bytes apart cannot be moved out of the loop.
#ifdef DOT
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#define STEP(v) v = (uint)dot_4x8packed_ss_int(v, b) + v
#else
#define STEP(v)                                                                                                        \
    v += as_words(((as_numbers(v << 24) >> 24) * b0)) + as_words(((as_numbers(v << 16) >> 24) * b1))                   \
        + as_words(((as_numbers(v << 8) >> 24) * b2)) + as_words(((as_numbers(v) >> 24) * b3))
#define as_words VECTOR(as_uint, WIDTH)
#define as_numbers VECTOR(as_int, WIDTH)
#endif

__kernel void dot_chains(
    __global words *out, __global const words *seeds, uint period, uint b, uint unused, uint rounds, uint items)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
#ifndef DOT
    const numbers b0 = (numbers)((int)(b << 24) >> 24), b1 = (numbers)((int)(b << 16) >> 24),
                  b2 = (numbers)((int)(b << 8) >> 24), b3 = (numbers)((int)b >> 24);
#endif
    const words a = seeds[item % period];
    words a0 = a, a1 = a + 1, a2 = a + 2, a3 = a + 3, a4 = a + 4, a5 = a + 5, a6 = a + 6, a7 = a + 7, a8 = a + 8,
          a9 = a + 9;
    for (uint i = 0; i < rounds; i++) {
        STEP(a0);
        STEP(a1);
        STEP(a2);
        STEP(a3);
        STEP(a4);
        STEP(a5);
        STEP(a6);
        STEP(a7);
        STEP(a8);
        STEP(a9);
    }
    out[item] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9;
}
#endif
