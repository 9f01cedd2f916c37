// Streams through arrays in pieces of 128 bits, each thread a grid apart from its last.

DEVICE u64 first() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE u64 stride() { return (u64)gridDim.x * blockDim.x; }

// The exclusive or of everything that the block read, so that nothing can be left out.
DEVICE void reduce(u32 value, u32 *out) {
    __shared__ u32 warps[32];
    for (int mask = 16; mask > 0; mask /= 2) value ^= shuffle_xor(value, mask);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 warp = 1; warp < blockDim.x / 32; warp++) value ^= warps[warp];
        out[blockIdx.x] = value;
    }
}

// `count` is a multiple of STREAMS; each stream goes through a part of its own.
template <int STREAMS> DEVICE void read(const uint4 *data, u64 count, u32 *out) {
    u64 part = count / STREAMS;
    u32 sum = 0;
#pragma unroll 4
    for (u64 i = first(); i < part; i += stride()) {
#pragma unroll
        for (int s = 0; s < STREAMS; s++) {
            uint4 v = data[s * part + i];
            sum ^= v.x ^ v.y ^ v.z ^ v.w;
        }
    }
    reduce(sum, out);
}

KERNEL stream_read_1(const uint4 *data, u64 count, u32 *out) { read<1>(data, count, out); }
KERNEL stream_read_2(const uint4 *data, u64 count, u32 *out) { read<2>(data, count, out); }
KERNEL stream_read_4(const uint4 *data, u64 count, u32 *out) { read<4>(data, count, out); }

struct Normal {
    DEVICE uint4 load(const uint4 *from) { return *from; }
    DEVICE void store(uint4 *to, uint4 value) { *to = value; }
};

struct Streaming {
    DEVICE uint4 load(const uint4 *from) { return load_streaming(from); }
    DEVICE void store(uint4 *to, uint4 value) { store_streaming(to, value); }
};

template <typename Access> DEVICE void write(uint4 *to, u64 count) {
    for (u64 i = first(); i < count; i += stride()) {
        u32 value = mixed((u32)i);
        Access::store(to + i, make_uint4(value, value + 1, value + 2, value + 3));
    }
}

template <typename Access> DEVICE void copy(uint4 *to, const uint4 *from, u64 count) {
#pragma unroll 4
    for (u64 i = first(); i < count; i += stride()) Access::store(to + i, Access::load(from + i));
}

template <typename Access> DEVICE void triad(uint4 *to, const uint4 *b, const uint4 *c, u64 count, u64 scale) {
    float s = __uint_as_float((u32)scale);
#pragma unroll 4
    for (u64 i = first(); i < count; i += stride()) {
        uint4 x = Access::load(b + i), y = Access::load(c + i);
        x.x = __float_as_uint(fmaf(s, __uint_as_float(y.x), __uint_as_float(x.x)));
        x.y = __float_as_uint(fmaf(s, __uint_as_float(y.y), __uint_as_float(x.y)));
        x.z = __float_as_uint(fmaf(s, __uint_as_float(y.z), __uint_as_float(x.z)));
        x.w = __float_as_uint(fmaf(s, __uint_as_float(y.w), __uint_as_float(x.w)));
        Access::store(to + i, x);
    }
}

KERNEL stream_write(uint4 *to, u64 count) { write<Normal>(to, count); }
KERNEL stream_write_nt(uint4 *to, u64 count) { write<Streaming>(to, count); }
KERNEL stream_copy(uint4 *to, const uint4 *from, u64 count) { copy<Normal>(to, from, count); }
KERNEL stream_copy_nt(uint4 *to, const uint4 *from, u64 count) { copy<Streaming>(to, from, count); }
KERNEL stream_triad(uint4 *to, const uint4 *b, const uint4 *c, u64 count, u64 scale) {
    triad<Normal>(to, b, c, count, scale);
}
KERNEL stream_triad_nt(uint4 *to, const uint4 *b, const uint4 *c, u64 count, u64 scale) {
    triad<Streaming>(to, b, c, count, scale);
}

// Keeps the device busy while launches that are to be timed are queued behind it.
KERNEL spin(u64 duration) {
    u64 start = nanoseconds();
    while (nanoseconds() - start < duration) {
    }
}
