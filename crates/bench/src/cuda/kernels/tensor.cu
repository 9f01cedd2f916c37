// Products of matrices in registers. Each warp has eight accumulators, for the products of two A (16 rows) with four B
// (8 columns), and adds A B and -A B in turns, one more of the first: accumulators never grow, the end is A B exactly, and
// operands are random all the time. The warp writes the sum of its accumulators: 512 bytes for some 10^7 operations.

// Rows of 256 bits, see the prelude.
DEVICE void load_a(u32 (&to)[4], const u32 *from, u32 lane) {
    for (int r = 0; r < 4; r++) to[r] = from[(lane / 4 + 8 * (r % 2)) * 8 + lane % 4 + 4 * (r / 2)];
}

DEVICE void load_b(u32 (&to)[2], const u32 *from, u32 lane) {
    for (int r = 0; r < 2; r++) to[r] = from[lane / 4 * 8 + lane % 4 + 4 * r];
}

template <typename Type>
DEVICE void products(const u32 *a, const u32 *negative, const u32 *b, typename Type::Number *out, u64 pairs) {
    u32 lane = threadIdx.x % 32;
    u32 plus[2][4], minus[2][4], right[4][2];
    typename Type::Number d[8][4] = {};
    for (int i = 0; i < 2; i++) {
        load_a(plus[i], a + i * 128, lane);
        load_a(minus[i], negative + i * 128, lane);
    }
    for (int i = 0; i < 4; i++) load_b(right[i], b + i * 64, lane);
    for (u64 pair = 0; pair < pairs; pair++) {
#pragma unroll
        for (int j = 0; j < 8; j++) Type::mma(d[j], plus[j % 2], right[j / 2]);
#pragma unroll
        for (int j = 0; j < 8; j++) Type::mma(d[j], minus[j % 2], right[j / 2]);
    }
#pragma unroll
    for (int j = 0; j < 8; j++) Type::mma(d[j], plus[j % 2], right[j / 2]);
    u64 warp = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int r = 0; r < 4; r++) {
        typename Type::Number sum = 0;
        for (int j = 0; j < 8; j++) sum += d[j][r];
        out[warp * 128 + (lane / 4 + 8 * (r / 2)) * 8 + lane % 4 * 2 + r % 2] = sum;
    }
}

#define TENSOR(NAME, NUMBER)                                                                                           \
    struct Type_##NAME {                                                                                               \
        typedef NUMBER Number;                                                                                         \
        DEVICE void mma(NUMBER (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) { mma_##NAME(d, a, b); }                 \
    };                                                                                                                 \
    KERNEL __launch_bounds__(256)                                                                                      \
        tensor_##NAME(const u32 *a, const u32 *negative, const u32 *b, NUMBER *out, u64 pairs) {                       \
        products<Type_##NAME>(a, negative, b, out, pairs);                                                             \
    }

// One type at a time, because an architecture that lacks one must still compile the others.
#ifdef TYPE_fp64
KERNEL __launch_bounds__(256)
    tensor_fp64(const double *a, const double *negative, const double *b, double *out, u64 pairs) {
    u32 lane = threadIdx.x % 32;
    u32 row = lane / 4, member = lane % 4;
    double plus[2], minus[2], right[4];
    double d[8][2] = {};
    for (int i = 0; i < 2; i++) {
        plus[i] = a[i * 32 + row * 4 + member];
        minus[i] = negative[i * 32 + row * 4 + member];
    }
    for (int i = 0; i < 4; i++) right[i] = b[i * 32 + row * 4 + member];
    for (u64 pair = 0; pair < pairs; pair++) {
#pragma unroll
        for (int j = 0; j < 8; j++) mma_fp64(d[j], plus[j % 2], right[j / 2]);
#pragma unroll
        for (int j = 0; j < 8; j++) mma_fp64(d[j], minus[j % 2], right[j / 2]);
    }
#pragma unroll
    for (int j = 0; j < 8; j++) mma_fp64(d[j], plus[j % 2], right[j / 2]);
    u64 warp = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int r = 0; r < 2; r++) {
        double sum = 0;
        for (int j = 0; j < 8; j++) sum += d[j][r];
        out[warp * 64 + row * 8 + member * 2 + r] = sum;
    }
}
#elif defined(TYPE_int8)
TENSOR(int8, int)
#elif defined(TYPE_fp16)
TENSOR(fp16, float)
#elif defined(TYPE_bf16)
TENSOR(bf16, float)
#elif defined(TYPE_tf32)
TENSOR(tf32, float)
#elif defined(TYPE_fp8_e4m3)
TENSOR(fp8_e4m3, float)
#elif defined(TYPE_fp8_e5m2)
TENSOR(fp8_e5m2, float)
#elif defined(TYPE_nvfp4)
TENSOR(nvfp4, float)
#endif
