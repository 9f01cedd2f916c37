// What every source begins with: names of types, and each instruction that has none in CUDA C as a function. No header is
// included, because NVRTC has none of its own and a driver without a toolkit has none either.
//
// Layouts are those of "Matrix Fragments" in NVIDIA's PTX ISA. All shapes used here have rows of 256 bits, so that
// one description holds for every type: with group = lane / 4 and member = lane % 4, register r of A is word
// member + 4 (r / 2) of row group + 8 (r % 2), register r of B is word member + 4 r of column group, and the four
// accumulators are columns 2 member and 2 member + 1 of rows group and group + 8.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__ void
#define DEVICE static __device__ __forceinline__

DEVICE float from_fp16(u32 bits) {
    float value;
    asm("{ .reg .b16 half; mov.b32 {half, _}, %1; cvt.f32.f16 %0, half; }" : "=f"(value) : "r"(bits));
    return value;
}

DEVICE float from_bf16(u32 bits) { return __uint_as_float(bits << 16); }

// The first is the low half of the pair.
DEVICE u32 fp16_pair(float low, float high) {
    u32 pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

DEVICE u32 bf16_pair(float low, float high) {
    u32 pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

DEVICE u32 fma_fp16x2(u32 a, u32 b, u32 c) {
    u32 result;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

DEVICE u32 dot_int8x4(u32 a, u32 b, u32 c) {
    u32 result;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

DEVICE float exp2_approximate(float x) {
    float result;
    asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

DEVICE u64 nanoseconds() {
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

// Past the caches: lines that are not read again.
DEVICE uint4 load_streaming(const uint4 *from) {
    uint4 v;
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    return v;
}

DEVICE void store_streaming(uint4 *to, uint4 v) {
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
                 :: "l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// 16 bytes into shared memory in the background, of which those after `bytes` become zeros.
DEVICE void copy_async(void *shared, const void *global, u32 bytes) {
    u32 to = (u32)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(global), "r"(bytes) : "memory");
}

DEVICE void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Until at most so many groups are under way.
template <int GROUPS> DEVICE void copy_async_wait() { asm volatile("cp.async.wait_group %0;" :: "n"(GROUPS) : "memory"); }

// Two 8x8 matrices of 16-bit elements, transposed: lanes 0-7 and 8-15 give the addresses of their rows.
DEVICE void load_matrices_transposed(u32 (&to)[2], const void *shared) {
    u32 from = (u32)__cvta_generic_to_shared(shared);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1]) : "r"(from) : "memory");
}

// D = A B + D on the matrix units.
#define MMA(NAME, NUMBER, REGISTER, INSTRUCTION)                                                                       \
    DEVICE void mma_##NAME(NUMBER (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {                                     \
        asm volatile(INSTRUCTION " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                    \
                     : "+" REGISTER(d[0]), "+" REGISTER(d[1]), "+" REGISTER(d[2]), "+" REGISTER(d[3])                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                              \
    }

MMA(fp16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
MMA(bf16, float, "f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
MMA(tf32, float, "f", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
MMA(int8, int, "r", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
MMA(fp8_e4m3, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA(fp8_e5m2, float, "f", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32")

// Every block of 16 has the scale 1, which is 0x38 in UE4M3.
DEVICE void mma_nvfp4(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    const u32 one = 0x38383838u;
    asm volatile("mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%10}, {0, 0};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(one));
}

// 8x8x4: A is row group, column member; B is row member, column group; D is columns 2 member and 2 member + 1 of row group.
DEVICE void mma_fp64(double (&d)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
}

DEVICE u32 shuffle_xor(u32 value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
DEVICE float shuffle_xor(float value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
DEVICE double shuffle_xor(double value, int mask) { return __shfl_xor_sync(0xffffffffu, value, mask); }
DEVICE float shuffle(float value, int lane) { return __shfl_sync(0xffffffffu, value, lane); }
