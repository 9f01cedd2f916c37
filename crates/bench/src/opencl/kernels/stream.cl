// Streams through memory. WIDTH is the length of a vector, STREAMS how many parts are read at the same time, and
// CONTIGUOUS is set where an item shall walk through a part of its own (processors) in place of sharing lines with its
// neighbours (graphics processors). `items` is how many of them there are in all; `offset` is that of the copy.
#define JOIN(a, b) a##b
#define VECTOR(type, width) JOIN(type, width)
typedef VECTOR(uint, WIDTH) words;
typedef VECTOR(float, WIDTH) reals;

#ifdef CONTIGUOUS
#define FOR_MINE(i, count) \
    for (ulong i = (count) * get_global_id(0) / items, last_##i = (count) * (get_global_id(0) + 1) / items; i < last_##i; i++)
#else
#define FOR_MINE(i, count) for (ulong i = get_global_id(0); i < (count); i += items)
#endif

static inline uint folded(words w)
{
#if WIDTH == 16
    uint8 eight = w.lo ^ w.hi;
    uint4 four = eight.lo ^ eight.hi;
#else
    uint4 four = w;
#endif
    uint2 two = four.lo ^ four.hi;
    return two.lo ^ two.hi;
}

// Every word takes part in an exclusive or, whose result nothing can know without having read it all.
__kernel void stream_read(__global uint *out, __global const uint *from, ulong offset, ulong count, uint items)
{
    __global const words *vectors = (__global const words *)(from + offset);
    const ulong part = count / WIDTH / STREAMS;
    words found[STREAMS];
    for (uint s = 0; s < STREAMS; s++)
        found[s] = (words)(0);
    FOR_MINE(i, part)
    {
#pragma unroll
        for (uint s = 0; s < STREAMS; s++)
            found[s] ^= vectors[s * part + i];
    }
    words all = found[0];
    for (uint s = 1; s < STREAMS; s++)
        all ^= found[s];
    uint rest = folded(all);
    if (get_global_id(0) == 0)
        for (ulong i = part * STREAMS * WIDTH; i < count; i++)
            rest ^= from[offset + i];
    out[get_global_id(0)] = rest;
}

// What is written differs from word to word: memory that is written with one value may be quicker than any program.
#define SPREAD 2654435761u

__kernel void stream_write(__global uint *to, ulong offset, ulong count, uint items, uint seed)
{
    __global words *vectors = (__global words *)(to + offset);
#if WIDTH == 16
    const words lanes = (words)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
    const words lanes = (words)(0, 1, 2, 3);
#endif
    FOR_MINE(i, count / WIDTH)
    vectors[i] = ((uint)(i * WIDTH) + lanes) * SPREAD + seed;
    if (get_global_id(0) == 0)
        for (ulong i = count / WIDTH * WIDTH; i < count; i++)
            to[offset + i] = (uint)i * SPREAD + seed;
}

__kernel void stream_copy(__global uint *to, __global const uint *from, ulong offset, ulong count, uint items)
{
    __global words *written = (__global words *)(to + offset);
    __global const words *read = (__global const words *)(from + offset);
    FOR_MINE(i, count / WIDTH)
    written[i] = read[i];
    if (get_global_id(0) == 0)
        for (ulong i = count / WIDTH * WIDTH; i < count; i++)
            to[offset + i] = from[offset + i];
}

__kernel void stream_triad(
    __global float *to, __global const float *b, __global const float *c, ulong offset, ulong count, uint items, float scale)
{
    __global reals *written = (__global reals *)(to + offset);
    __global const reals *left = (__global const reals *)(b + offset);
    __global const reals *right = (__global const reals *)(c + offset);
    FOR_MINE(i, count / WIDTH)
    written[i] = fma((reals)(scale), right[i], left[i]);
    if (get_global_id(0) == 0)
        for (ulong i = count / WIDTH * WIDTH; i < count; i++)
            to[offset + i] = fma(scale, c[offset + i], b[offset + i]);
}
