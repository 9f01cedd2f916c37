// A GPU on the processor, for tests: takes the place of prelude.cu. Threads of a block are fibers that run one after the other
// until they wait for their warp or block; instructions of warps exchange operands through slots and are computed from the
// layouts that the PTX ISA describes. Copies in the background arrive as late as they may.

#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <ucontext.h>
#include <vector>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define KERNEL extern "C" void
#define DEVICE static inline
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static

struct Index { u32 x, y, z; };
struct __align__(16) uint4 { u32 x, y, z, w; };
struct __align__(16) float4 { float x, y, z, w; };
static uint4 make_uint4(u32 x, u32 y, u32 z, u32 w) { return {x, y, z, w}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

template <typename To, typename From> static To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
static float __uint_as_float(u32 bits) { return bits_as<float>(bits); }
static u32 __float_as_uint(float value) { return bits_as<u32>(value); }
static double __longlong_as_double(long long bits) { return bits_as<double>(bits); }
static long long __double_as_longlong(double value) { return bits_as<long long>(value); }

struct Copy { void *to; const void *from; u32 bytes; };

// Once begun, fibers change over by jumps, which unlike changes of contexts ask the system for nothing.
struct Fiber {
    ucontext_t context;
    jmp_buf jump;
    bool begun;
    Index thread;
    bool done;
    std::vector<std::vector<Copy>> groups;
    std::vector<Copy> open;
};

// At most so many threads a block.
static const u32 MOST = 256;
static const u32 STACK = 128 << 10;
static Fiber fibers[MOST];
static char *stacks;
static Fiber *current;
static ucontext_t scheduler;
static jmp_buf scheduling;
static Index blockIdx, blockDim, gridDim;
static bool moved;
// The thread whose turn it is; jumps forget what is in registers.
static u32 next;
#define threadIdx (current->thread)

struct Meeting {
    u32 present, arrived, generation;
    void check() {
        if (present > 0 && arrived == present) arrived = 0, generation++, moved = true;
    }
    void wait() {
        u32 before = generation;
        arrived++;
        check();
        while (generation == before) {
            if (!_setjmp(current->jump)) _longjmp(scheduling, 1);
        }
    }
};
static Meeting warps[MOST / 32], block;
static u64 slots[MOST / 32][32][8];

static u32 lane_of() { return threadIdx.x % 32; }
static void __syncthreads() { block.wait(); }
static Meeting &own_warp() { return warps[threadIdx.x / 32]; }

// What all lanes put in, as each of them sees it until it says that it has seen it.
static u64 (*meet(const u64 *values, u32 count))[8] {
    u32 warp = threadIdx.x / 32;
    for (u32 i = 0; i < count; i++) slots[warp][lane_of()][i] = values[i];
    own_warp().wait();
    return slots[warp];
}
static void part() { own_warp().wait(); }

template <typename T> static T shuffled(T value, u32 lane) {
    u64 bits = 0;
    memcpy(&bits, &value, sizeof value);
    u64(*all)[8] = meet(&bits, 1);
    memcpy(&value, &all[lane % 32][0], sizeof value);
    part();
    return value;
}
static u32 shuffle_xor(u32 value, int mask) { return shuffled(value, lane_of() ^ mask); }
static float shuffle_xor(float value, int mask) { return shuffled(value, lane_of() ^ mask); }
static double shuffle_xor(double value, int mask) { return shuffled(value, lane_of() ^ mask); }
static float shuffle(float value, int lane) { return shuffled(value, lane); }

// A float of a few bits, by the formula that defines it.
static double small_number(u32 code, int exponent_bits, int mantissa_bits) {
    int bias = (1 << (exponent_bits - 1)) - 1;
    u32 mantissa = code & ((1u << mantissa_bits) - 1), exponent = code >> mantissa_bits & ((1u << exponent_bits) - 1);
    double magnitude = exponent == 0 ? ldexp(mantissa, 1 - bias - mantissa_bits)
                                     : ldexp(mantissa + (1u << mantissa_bits), (int)exponent - bias - mantissa_bits);
    return code >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}
static u16 fp16_bits(double value) { return bits_as<u16>((_Float16)value); }
static float from_fp16(u32 bits) { return (float)small_number(bits & 0xffff, 5, 10); }
static float from_bf16(u32 bits) { return __uint_as_float(bits << 16); }
static u16 bf16_bits(float value) {
    u32 bits = __float_as_uint(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
static u32 fp16_pair(float low, float high) { return fp16_bits(low) | (u32)fp16_bits(high) << 16; }
static u32 bf16_pair(float low, float high) { return bf16_bits(low) | (u32)bf16_bits(high) << 16; }
static u32 fma_fp16x2(u32 a, u32 b, u32 c) {
    u32 pair = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        double exact = small_number(a >> shift & 0xffff, 5, 10) * small_number(b >> shift & 0xffff, 5, 10) +
                       small_number(c >> shift & 0xffff, 5, 10);
        pair |= (u32)fp16_bits(exact) << shift;
    }
    return pair;
}
static u32 dot_int8x4(u32 a, u32 b, u32 c) {
    for (int shift = 0; shift < 32; shift += 8) c += (int)(signed char)(a >> shift) * (int)(signed char)(b >> shift);
    return c;
}
static float exp2_approximate(float x) { return exp2f(x); }
static u64 nanoseconds() {
    static u64 time = 0;
    return time += 100;
}
static uint4 load_streaming(const uint4 *from) { return *from; }
static void store_streaming(uint4 *to, uint4 value) { *to = value; }

static void copy_async(void *to, const void *from, u32 bytes) { current->open.push_back({to, from, bytes}); }
static void copy_async_commit() {
    current->groups.push_back(current->open);
    current->open.clear();
}
template <int GROUPS> static void copy_async_wait() {
    while (current->groups.size() > GROUPS) {
        for (const Copy &copy : current->groups.front()) {
            memset(copy.to, 0, 16);
            memcpy(copy.to, copy.from, copy.bytes);
        }
        current->groups.erase(current->groups.begin());
    }
}

static void load_matrices_transposed(u32 (&to)[2], const void *address) {
    u64 own = (u64)address;
    u64(*all)[8] = meet(&own, 1);
    u32 lane = lane_of();
    for (int matrix = 0; matrix < 2; matrix++) {
        to[matrix] = 0;
        for (u32 half = 0; half < 2; half++) {
            u32 row = lane % 4 * 2 + half, column = lane / 4;
            to[matrix] |= (u32)((const u16 *)all[matrix * 8 + row][0])[column] << (16 * half);
        }
    }
    part();
}

// Element `index` of a row of 256 bits.
typedef double (*Decode)(u32);
template <typename Number, int BITS, Decode OF>
static void multiply_matrices(Number (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    u64 own[6] = {a[0], a[1], a[2], a[3], b[0], b[1]};
    u64(*all)[8] = meet(own, 6);
    u32 lane = lane_of();
    for (int r = 0; r < 4; r++) {
        u32 row = lane / 4 + 8 * (r / 2), column = lane % 4 * 2 + r % 2;
        double sum = 0;
        for (u32 word = 0; word < 8; word++) {
            u32 left = (u32)all[row % 8 * 4 + word % 4][row / 8 + 2 * (word / 4)];
            u32 right = (u32)all[column * 4 + word % 4][4 + word / 4];
            for (u32 bit = 0; bit < 32; bit += BITS) sum += OF(left >> bit) * OF(right >> bit);
        }
        d[r] = (Number)(d[r] + sum);
    }
    part();
}
static double as_fp16(u32 bits) { return small_number(bits & 0xffff, 5, 10); }
static double as_bf16(u32 bits) { return small_number(bits & 0xffff, 8, 7); }
static double as_tf32(u32 bits) { return small_number(bits >> 13, 8, 10); }
static double as_int8(u32 bits) { return (signed char)bits; }
static double as_e4m3(u32 bits) { return small_number(bits & 0xff, 4, 3); }
static double as_e5m2(u32 bits) { return small_number(bits & 0xff, 5, 2); }
static double as_e2m1(u32 bits) { return small_number(bits & 0xf, 2, 1); }
#define MMA(NAME, NUMBER, BITS, OF)                                                                                    \
    static void mma_##NAME(NUMBER (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {                                     \
        multiply_matrices<NUMBER, BITS, OF>(d, a, b);                                                                  \
    }
MMA(fp16, float, 16, as_fp16)
MMA(bf16, float, 16, as_bf16)
MMA(tf32, float, 32, as_tf32)
MMA(int8, int, 8, as_int8)
MMA(fp8_e4m3, float, 8, as_e4m3)
MMA(fp8_e5m2, float, 8, as_e5m2)
MMA(nvfp4, float, 4, as_e2m1)

static void mma_fp64(double (&d)[2], double a, double b) {
    u64 own[2] = {bits_as<u64>(a), bits_as<u64>(b)};
    u64(*all)[8] = meet(own, 2);
    u32 lane = lane_of();
    for (int r = 0; r < 2; r++) {
        u32 row = lane / 4, column = lane % 4 * 2 + r;
        for (u32 k = 0; k < 4; k++) d[r] += bits_as<double>(all[row * 4 + k][0]) * bits_as<double>(all[column * 4 + k][1]);
    }
    part();
}

typedef void (*Kernel)(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64);
static Kernel kernel;
static const u64 *arguments;

static void enter() {
    const u64 *a = arguments;
    kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    // Those that are gone are not waited for.
    current->done = true;
    moved = true;
    warps[threadIdx.x / 32].present--, warps[threadIdx.x / 32].check();
    block.present--, block.check();
    _longjmp(scheduling, 1);
}

// 0 if every thread came to its end; 1 if all wait for each other. There are twelve arguments.
extern "C" int emulate(void *function, u32 x, u32 y, u32 z, u32 threads, const u64 *twelve) {
    if (threads > MOST || threads % 32 != 0) return 2;
    if (!stacks) stacks = new char[(size_t)MOST * STACK];
    kernel = (Kernel)function, arguments = twelve;
    gridDim = {x, y, z}, blockDim = {threads, 1, 1};
    static u64 index;
    for (index = 0; index < (u64)x * y * z; index++) {
        blockIdx = {(u32)(index % x), (u32)(index / x % y), (u32)(index / x / y)};
        block = {threads, 0, 0};
        for (u32 i = 0; i < threads; i++) {
            Fiber &fiber = fibers[i];
            warps[i / 32] = {32, 0, 0};
            fiber.done = fiber.begun = false, fiber.thread = {i, 0, 0};
            fiber.groups.clear(), fiber.open.clear();
            getcontext(&fiber.context);
            fiber.context.uc_stack.ss_sp = stacks + (size_t)i * STACK;
            fiber.context.uc_stack.ss_size = STACK;
            fiber.context.uc_link = &scheduler;
            makecontext(&fiber.context, enter, 0);
        }
        while (block.present > 0) {
            moved = false;
            for (next = 0; next < threads; next++) {
                if (fibers[next].done) continue;
                current = &fibers[next];
                if (_setjmp(scheduling)) continue;
                if (current->begun) _longjmp(current->jump, 1);
                current->begun = true;
                swapcontext(&scheduler, &current->context);
            }
            if (!moved) return 1;
        }
    }
    return 0;
}
