// y[n] = W[n][k] x[k]. A warp has a row and each lane eight neighbouring weights at a time, dequantised in registers; rows are
// padded with zeros to `stride`, a multiple of 8. Layouts are those of `formats` with codes in sequence.
//
// W_... and X_... are defined when it is compiled. What all of a row share, scales of rows and tensors, is multiplied at the end.

#ifdef W_fp64
typedef double Real;
DEVICE Real multiply_add(Real a, Real b, Real c) { return fma(a, b, c); }
#else
typedef float Real;
DEVICE Real multiply_add(Real a, Real b, Real c) { return fmaf(a, b, c); }
#endif

// Codes of 8 elements, as words.
template <int WORDS> struct __align__(WORDS * 4 < 16 ? WORDS * 4 : 16) Words { u32 of[WORDS]; };

template <int WORDS> DEVICE Words<WORDS> eight(const u8 *codes, u64 index) {
    return *(const Words<WORDS> *)(codes + index / 8 * (WORDS * 4));
}

DEVICE u32 byte_of(const Words<2> &words, int index) { return words.of[index / 4] >> (index % 4 * 8) & 0xff; }

DEVICE void load_fp32(Real (&to)[8], const u8 *codes, u64 index) {
    Words<8> words = eight<8>(codes, index);
    for (int i = 0; i < 8; i++) to[i] = __uint_as_float(words.of[i]);
}

DEVICE void load_fp16(Real (&to)[8], const u8 *codes, u64 index) {
    Words<4> words = eight<4>(codes, index);
    for (int i = 0; i < 8; i++) to[i] = from_fp16(words.of[i / 2] >> (i % 2 * 16) & 0xffff);
}

DEVICE void load_bf16(Real (&to)[8], const u8 *codes, u64 index) {
    Words<4> words = eight<4>(codes, index);
    for (int i = 0; i < 8; i++) to[i] = from_bf16(words.of[i / 2] >> (i % 2 * 16) & 0xffff);
}

DEVICE void load_int8(Real (&to)[8], const u8 *codes, u64 index) {
    Words<2> words = eight<2>(codes, index);
    for (int i = 0; i < 8; i++) to[i] = (Real)(signed char)byte_of(words, i);
}

// Exponent and mantissa are moved to where those of FP32 are, and the difference of the biases is multiplied: right for
// subnormal numbers too. There is no NaN among weights.
DEVICE float small_float(u32 magnitude, int mantissa_bits, float bias, u32 sign) {
    return __uint_as_float(__float_as_uint(__uint_as_float(magnitude << (23 - mantissa_bits)) * bias) | sign);
}

DEVICE float from_e4m3(u32 code) { return small_float(code & 0x7f, 3, 0x1p120f, (code & 0x80) << 24); }
DEVICE float from_e5m2(u32 code) { return small_float(code & 0x7f, 2, 0x1p112f, (code & 0x80) << 24); }
DEVICE float from_e2m1(u32 code) { return small_float(code & 7, 1, 0x1p126f, (code & 8) << 28); }

#if defined(W_fp64)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    for (int i = 0; i < 8; i++) to[i] = ((const double *)codes)[index + i];
}
#elif defined(W_fp32)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    load_fp32(to, codes, index);
}
#elif defined(W_fp16)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    load_fp16(to, codes, index);
}
#elif defined(W_bf16)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    load_bf16(to, codes, index);
}
#elif defined(W_int8)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    load_int8(to, codes, index);
}
#elif defined(W_fp8_e4m3)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    Words<2> words = eight<2>(codes, index);
    for (int i = 0; i < 8; i++) to[i] = from_e4m3(byte_of(words, i));
}
#elif defined(W_fp8_e5m2)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *, u64 index, const float *) {
    Words<2> words = eight<2>(codes, index);
    for (int i = 0; i < 8; i++) to[i] = from_e5m2(byte_of(words, i));
}
#elif defined(W_int4)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *scales, u64 index, const float *) {
    u32 word = eight<1>(codes, index).of[0];
    float scale = from_fp16(((const u16 *)scales)[index / 32]);
    for (int i = 0; i < 8; i++) to[i] = scale * (float)((int)(word >> (4 * i) & 15) - 8);
}
#elif defined(W_mxfp4)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *scales, u64 index, const float *) {
    u32 word = eight<1>(codes, index).of[0];
    float scale = __uint_as_float((u32)scales[index / 32] << 23);
    for (int i = 0; i < 8; i++) to[i] = scale * from_e2m1(word >> (4 * i) & 15);
}
#elif defined(W_nvfp4)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *scales, u64 index, const float *) {
    u32 word = eight<1>(codes, index).of[0];
    float scale = from_e4m3(scales[index / 16]);
    for (int i = 0; i < 8; i++) to[i] = scale * from_e2m1(word >> (4 * i) & 15);
}
#elif defined(W_nf4)
DEVICE void load_weights(Real (&to)[8], const u8 *codes, const u8 *scales, u64 index, const float *table) {
    u32 word = eight<1>(codes, index).of[0];
    float scale = ((const float *)scales)[index / 64];
    for (int i = 0; i < 8; i++) to[i] = scale * table[word >> (4 * i) & 15];
}
#endif

#if defined(X_fp64)
DEVICE void load_activations(Real (&to)[8], const u8 *codes, u64 index) {
    for (int i = 0; i < 8; i++) to[i] = ((const double *)codes)[index + i];
}
#elif defined(X_fp32)
DEVICE void load_activations(Real (&to)[8], const u8 *codes, u64 index) { load_fp32(to, codes, index); }
#elif defined(X_fp16)
DEVICE void load_activations(Real (&to)[8], const u8 *codes, u64 index) { load_fp16(to, codes, index); }
#elif defined(X_bf16)
DEVICE void load_activations(Real (&to)[8], const u8 *codes, u64 index) { load_bf16(to, codes, index); }
#elif defined(X_int8)
DEVICE void load_activations(Real (&to)[8], const u8 *codes, u64 index) { load_int8(to, codes, index); }
#endif

DEVICE double warp_sum(double value) {
    for (int mask = 16; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
    return value;
}

// `row_scale` is FP32 for each row, or none; `common` is what everything is multiplied with, in the bits of an FP32 number.
KERNEL __launch_bounds__(256) gemv(const u8 *codes, const u8 *scales, const u8 *x, Real *y, u64 rows, u64 stride,
                                   u64 code_bytes, u64 scale_bytes, const float *row_scale, u64 common,
                                   const float *codebook) {
    __shared__ float table[16];
    if (codebook && threadIdx.x < 16) table[threadIdx.x] = codebook[threadIdx.x];
    __syncthreads();
    u64 row = (u64)blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    codes += row * code_bytes;
    scales += row * scale_bytes;
    u32 lane = threadIdx.x % 32;
#if defined(W_int8) && defined(X_int8)
    // Products of integers are exact, four at a time.
    u32 whole = 0;
#pragma unroll 4
    for (u64 i = lane * 8; i < stride; i += 256) {
        Words<2> w = eight<2>(codes, i), v = eight<2>(x, i);
        whole = dot_int8x4(w.of[1], v.of[1], dot_int8x4(w.of[0], v.of[0], whole));
    }
    for (int mask = 16; mask > 0; mask /= 2) whole += shuffle_xor(whole, mask);
    Real sum = (Real)(int)whole;
#else
    Real sum = 0;
#pragma unroll 4
    for (u64 i = lane * 8; i < stride; i += 256) {
        Real w[8], v[8];
        load_weights(w, codes, scales, i, table);
        load_activations(v, x, i);
#pragma unroll
        for (int e = 0; e < 8; e++) sum = multiply_add(w[e], v[e], sum);
    }
    sum = warp_sum(sum);
#endif
    float scale = __uint_as_float((u32)common);
    if (lane == 0) y[row] = sum * (row_scale ? scale * row_scale[row] : scale);
}
