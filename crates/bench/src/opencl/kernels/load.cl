// Eight elements of a matrix as they are stored, made numbers: one function a format, the same bytes as on the host.
// `codes` and `scales` are those of all rows; `row` has `stride` elements, and `column` is a multiple of 8.
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define MATRIX                                                                                                         \
    __global const uchar *restrict codes, __global const uchar *restrict scales, const float tensor, const ulong row,  \
        const uint column, const uint stride

// Halves are read by a built-in that needs no extension.
#define HALF_AT(pointer, index) vload_half((index), (__global const half *)(pointer))

#ifdef DOUBLE
static inline double8 load_fp64(MATRIX)
{
    return vload8((row * stride + column) / 8, (__global const double *)codes);
}
#endif

static inline float8 load_fp32(MATRIX)
{
    return vload8((row * stride + column) / 8, (__global const float *)codes);
}

static inline float8 load_fp16(MATRIX)
{
    return vload_half8((row * stride + column) / 8, (__global const half *)codes);
}

static inline float8 load_bf16(MATRIX)
{
    return as_float8(convert_uint8(vload8((row * stride + column) / 8, (__global const ushort *)codes)) << 16);
}

// Codes of 8-bit integers, without their scale.
static inline int8 codes_int8(MATRIX)
{
    return convert_int8(vload8((row * stride + column) / 8, (__global const char *)codes));
}

static inline float row_scale(__global const uchar *scales, const ulong row)
{
    return ((__global const float *)scales)[row];
}

static inline float8 load_int8(MATRIX)
{
    return convert_float8(codes_int8(codes, scales, tensor, row, column, stride)) * row_scale(scales, row);
}

// The exponent of single precision is that of the small float, moved; numbers without a leading one are multiples of the
// smallest, which is exact even on devices whose single precision has no such numbers.
static inline float8 e4m3(const uint8 code)
{
    const float8 usual = as_float8(((code & 0x7Fu) << 20) + (120u << 23));
    const float8 small = convert_float8(code & 7u) * 0x1p-9f;
    const float8 magnitude = select(usual, small, as_int8((code & 0x78u) == 0u));
    return as_float8(as_uint8(magnitude) | ((code & 0x80u) << 24));
}

static inline float8 e5m2(const uint8 code)
{
    const float8 usual = as_float8(((code & 0x7Fu) << 21) + (112u << 23));
    const float8 small = convert_float8(code & 3u) * 0x1p-16f;
    const float8 magnitude = select(usual, small, as_int8((code & 0x7Cu) == 0u));
    return as_float8(as_uint8(magnitude) | ((code & 0x80u) << 24));
}

static inline float8 e2m1(const uint8 code)
{
    const float8 usual = as_float8(((code & 7u) << 22) + (126u << 23));
    const float8 small = convert_float8(code & 1u) * 0.5f;
    const float8 magnitude = select(usual, small, as_int8((code & 6u) == 0u));
    return as_float8(as_uint8(magnitude) | ((code & 8u) << 28));
}

static inline uint8 bytes_at(__global const uchar *restrict codes, const ulong first)
{
    return convert_uint8(vload8(first / 8, codes));
}

static inline float8 load_fp8_e4m3(MATRIX)
{
    return e4m3(bytes_at(codes, row * stride + column)) * tensor;
}

static inline float8 load_fp8_e5m2(MATRIX)
{
    return e5m2(bytes_at(codes, row * stride + column)) * tensor;
}

// Element 2i is the low half of byte i.
static inline uint8 nibbles_at(__global const uchar *restrict codes, const ulong first)
{
    const uint four = ((__global const uint *)codes)[first / 8];
    return ((uint8)(four) >> (uint8)(0, 4, 8, 12, 16, 20, 24, 28)) & 15u;
}

static inline float8 load_int4(MATRIX)
{
    const ulong first = row * stride + column;
    return (convert_float8(nibbles_at(codes, first)) - 8.0f) * HALF_AT(scales, first / 32);
}

static inline float8 load_mxfp4(MATRIX)
{
    const ulong first = row * stride + column;
    return e2m1(nibbles_at(codes, first)) * as_float((uint)scales[first / 32] << 23);
}

static inline float8 load_nvfp4(MATRIX)
{
    const ulong first = row * stride + column;
    return e2m1(nibbles_at(codes, first)) * (e4m3((uint8)(scales[first / 16])).s0 * tensor);
}

// The host gives the values, so that there is one list of them.
#ifdef NF4_VALUES
__constant float nf4_values[16] = {NF4_VALUES};

static inline float8 load_nf4(MATRIX)
{
    const ulong first = row * stride + column;
    const uint8 n = nibbles_at(codes, first);
    const float8 value = (float8)(nf4_values[n.s0], nf4_values[n.s1], nf4_values[n.s2], nf4_values[n.s3],
        nf4_values[n.s4], nf4_values[n.s5], nf4_values[n.s6], nf4_values[n.s7]);
    return value * ((__global const float *)scales)[first / 64];
}
#endif

// REAL is what is computed in; a product of integers is an integer until it is scaled.
#define JOIN(a, b) a##b
#define VECTOR(type, width) JOIN(type, width)
typedef VECTOR(REAL, 8) real8;

#ifdef INTEGER
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define TO_REAL8(x) (x)
#else
#define MULTIPLY_ADD(a, b, c) fma((a), (b), (c))
#define TO_REAL8(x) VECTOR(convert_, VECTOR(REAL, 8))(x)
#endif

static inline REAL sum_of(const real8 v)
{
    return ((v.s0 + v.s4) + (v.s2 + v.s6)) + ((v.s1 + v.s5) + (v.s3 + v.s7));
}
