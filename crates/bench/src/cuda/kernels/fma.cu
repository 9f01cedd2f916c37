// Multiply-adds in registers: eight chains a thread, x = a x + b, which stay near their start when a is near -1. Every
// thread writes the exclusive or of its chains, so that the memory sees four or eight bytes for thousands of operations.

#define CHAINS 8

template <typename Type> DEVICE void chains(typename Type::Bits *out, u64 rounds, u64 a, u64 b) {
    typename Type::Number x[CHAINS];
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < CHAINS; j++) x[j] = Type::start(mixed(thread * CHAINS + j));
    typename Type::Number multiplier = Type::number(a), addend = Type::number(b);
    for (u64 round = 0; round < rounds; round += 16) {
#pragma unroll
        for (int step = 0; step < 16; step++) {
#pragma unroll
            for (int j = 0; j < CHAINS; j++) x[j] = Type::fma(x[j], multiplier, addend);
        }
    }
    typename Type::Bits sum = 0;
    for (int j = 0; j < CHAINS; j++) sum ^= Type::bits(x[j]);
    out[thread] = sum;
}

// Each chain starts in [0.5, 1).
struct Fp32 {
    typedef float Number;
    typedef u32 Bits;
    DEVICE float start(u32 random) { return __uint_as_float(0x3f000000u | (random >> 9)); }
    DEVICE float number(u64 bits) { return __uint_as_float((u32)bits); }
    DEVICE float fma(float x, float a, float b) { return fmaf(x, a, b); }
    DEVICE u32 bits(float x) { return __float_as_uint(x); }
};

struct Fp64 {
    typedef double Number;
    typedef u64 Bits;
    DEVICE double start(u32 random) { return __longlong_as_double(0x3fe0000000000000ll | ((long long)random << 20)); }
    DEVICE double number(u64 bits) { return __longlong_as_double((long long)bits); }
    DEVICE double fma(double x, double a, double b) { return ::fma(x, a, b); }
    DEVICE u64 bits(double x) { return (u64)__double_as_longlong(x); }
};

// Two numbers a register.
struct Fp16x2 {
    typedef u32 Number;
    typedef u32 Bits;
    DEVICE u32 start(u32 random) { return 0x38003800u | (random & 0x03ff03ffu); }
    DEVICE u32 number(u64 bits) { return (u32)bits; }
    DEVICE u32 fma(u32 x, u32 a, u32 b) { return fma_fp16x2(x, a, b); }
    DEVICE u32 bits(u32 x) { return x; }
};

// Four products a register, added to `b`: x = dot(x, a) + b, in integers that wrap around.
struct Int8x4 {
    typedef u32 Number;
    typedef u32 Bits;
    DEVICE u32 start(u32 random) { return random; }
    DEVICE u32 number(u64 bits) { return (u32)bits; }
    DEVICE u32 fma(u32 x, u32 a, u32 b) { return dot_int8x4(x, a, b); }
    DEVICE u32 bits(u32 x) { return x; }
};

KERNEL __launch_bounds__(256) fma_fp32(u32 *out, u64 rounds, u64 a, u64 b) { chains<Fp32>(out, rounds, a, b); }
KERNEL __launch_bounds__(256) fma_fp64(u64 *out, u64 rounds, u64 a, u64 b) { chains<Fp64>(out, rounds, a, b); }
KERNEL __launch_bounds__(256) fma_fp16(u32 *out, u64 rounds, u64 a, u64 b) { chains<Fp16x2>(out, rounds, a, b); }
KERNEL __launch_bounds__(256) fma_int8(u32 *out, u64 rounds, u64 a, u64 b) { chains<Int8x4>(out, rounds, a, b); }
