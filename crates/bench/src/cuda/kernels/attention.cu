// Fused attention. Queries are [batch][head][query][DIMENSION], keys and values [batch][kv head][token][DIMENSION]; the result
// is laid out as queries are, in FP32. Queries come multiplied with log2(e) / sqrt(DIMENSION), so that softmax is made of powers of two.
//
// DIMENSION, GROUP (heads of queries per head of keys) and TYPE_... are defined when it is compiled.

#if defined(TYPE_fp32)
typedef float Element;
DEVICE float number(Element element) { return element; }
#elif defined(TYPE_fp16)
typedef u16 Element;
DEVICE float number(Element element) { return from_fp16(element); }
#elif defined(TYPE_bf16)
typedef u16 Element;
DEVICE float number(Element element) { return from_bf16(element); }
#endif

#define NOTHING (-1e30f)

#ifdef DECODE
// One new token. A block has one head of keys and all queries that share it, so that keys and values are read once, and a
// part of the context; each of its warps takes four tokens at a time, each lane DIMENSION / 32 of their elements. What parts come to is
// put together by `attention_combine`.
#define WARPS 4
#define TOKENS 4
#define LANE (DIMENSION / 32)

struct __align__(sizeof(Element) * LANE) Elements { Element of[LANE]; };

KERNEL __launch_bounds__(WARPS * 32)
    attention_decode(const Element *queries, const Element *keys, const Element *values, float *partial, u64 context) {
    u32 splits = gridDim.x, split = blockIdx.x;
    u64 head = (u64)blockIdx.z * gridDim.y + blockIdx.y;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Elements *key = (const Elements *)(keys + head * context * DIMENSION) + lane;
    const Elements *value = (const Elements *)(values + head * context * DIMENSION) + lane;
    float query[GROUP][LANE], sum[GROUP][LANE] = {}, weight[GROUP], most[GROUP];
    for (int g = 0; g < GROUP; g++) {
        Elements q = ((const Elements *)(queries + (head * GROUP + g) * DIMENSION))[lane];
        for (int e = 0; e < LANE; e++) query[g][e] = number(q.of[e]);
        weight[g] = 0;
        most[g] = NOTHING;
    }
    u64 length = (context + splits - 1) / splits;
    u64 from = split * length, to = from + length < context ? from + length : context;
    for (u64 token = from + warp * TOKENS; token < to; token += WARPS * TOKENS) {
        Elements k[TOKENS], v[TOKENS];
#pragma unroll
        for (int t = 0; t < TOKENS; t++) {
            u64 at = token + t < to ? token + t : to - 1;
            k[t] = key[at * 32];
            v[t] = value[at * 32];
        }
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            float score[TOKENS], highest = most[g];
#pragma unroll
            for (int t = 0; t < TOKENS; t++) {
                float dot = 0;
                for (int e = 0; e < LANE; e++) dot = fmaf(query[g][e], number(k[t].of[e]), dot);
                score[t] = token + t < to ? warp_sum(dot) : (warp_sum(dot), NOTHING);
                highest = fmaxf(highest, score[t]);
            }
            float shrink = exp2_approximate(most[g] - highest);
            most[g] = highest;
            weight[g] *= shrink;
            for (int e = 0; e < LANE; e++) sum[g][e] *= shrink;
#pragma unroll
            for (int t = 0; t < TOKENS; t++) {
                float power = token + t < to ? exp2_approximate(score[t] - highest) : 0;
                weight[g] += power;
                for (int e = 0; e < LANE; e++) sum[g][e] = fmaf(power, number(v[t].of[e]), sum[g][e]);
            }
        }
    }
    __shared__ float sums[WARPS][GROUP][DIMENSION], weights[WARPS][GROUP], mosts[WARPS][GROUP];
    for (int g = 0; g < GROUP; g++) {
        for (int e = 0; e < LANE; e++) sums[warp][g][lane * LANE + e] = sum[g][e];
        weights[warp][g] = weight[g];
        mosts[warp][g] = most[g];
    }
    __syncthreads();
    for (u32 i = threadIdx.x; i < GROUP * DIMENSION; i += WARPS * 32) {
        u32 g = i / DIMENSION, e = i % DIMENSION;
        float highest = NOTHING, all = 0, total = 0;
        for (int w = 0; w < WARPS; w++) highest = fmaxf(highest, mosts[w][g]);
        for (int w = 0; w < WARPS; w++) {
            float shrink = exp2_approximate(mosts[w][g] - highest);
            all = fmaf(shrink, sums[w][g][e], all);
            total = fmaf(shrink, weights[w][g], total);
        }
        float *to_part = partial + ((head * GROUP + g) * splits + split) * (DIMENSION + 2);
        to_part[e] = all;
        if (e == 0) {
            to_part[DIMENSION] = total;
            to_part[DIMENSION + 1] = highest;
        }
    }
}

// One block for each head of queries.
KERNEL attention_combine(const float *partial, float *out, u64 splits) {
    const float *part = partial + blockIdx.x * splits * (DIMENSION + 2);
    float highest = NOTHING;
    for (u64 s = 0; s < splits; s++) highest = fmaxf(highest, part[s * (DIMENSION + 2) + DIMENSION + 1]);
    for (u32 e = threadIdx.x; e < DIMENSION; e += blockDim.x) {
        float all = 0, total = 0;
        for (u64 s = 0; s < splits; s++) {
            const float *one = part + s * (DIMENSION + 2);
            float shrink = exp2_approximate(one[DIMENSION + 1] - highest);
            all = fmaf(shrink, one[e], all);
            total = fmaf(shrink, one[DIMENSION], total);
        }
        out[(u64)blockIdx.x * DIMENSION + e] = all / total;
    }
}

#elif defined(TYPE_fp32)
// Many new tokens on the vector units: a warp has one query, its lanes one token each of the 32 in shared memory, then
// DIMENSION / 32 elements of the result each.
#define WARPS 8
#define LANE (DIMENSION / 32)

KERNEL __launch_bounds__(WARPS * 32) attention_prefill(const float *queries, const float *keys, const float *values,
                                                       float *out, u64 count, u64 context, u64 causal) {
    __shared__ float key[32][DIMENSION + 1], value[32][DIMENSION], query[WARPS][DIMENSION];
    u64 head = (u64)blockIdx.z * gridDim.y + blockIdx.y, kv_head = head / GROUP;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u64 row = (u64)blockIdx.x * WARPS + warp;
    u64 own = row < count ? row : count - 1;
    for (int e = 0; e < LANE; e++) query[warp][lane + 32 * e] = queries[(head * count + own) * DIMENSION + lane + 32 * e];
    u64 visible = causal ? context - count + own + 1 : context;
    u64 last = (u64)blockIdx.x * WARPS + WARPS - 1;
    u64 end = causal && last < count ? context - count + last + 1 : context;
    float sum[LANE] = {}, weight = 0, most = NOTHING;
    for (u64 start = 0; start < end; start += 32) {
        __syncthreads();
        for (u32 i = threadIdx.x; i < 32 * DIMENSION; i += WARPS * 32) {
            u64 token = start + i / DIMENSION < context ? start + i / DIMENSION : context - 1;
            u64 at = (kv_head * context + token) * DIMENSION + i % DIMENSION;
            key[i / DIMENSION][i % DIMENSION] = keys[at];
            value[i / DIMENSION][i % DIMENSION] = values[at];
        }
        __syncthreads();
        bool seen = start + lane < visible;
        float score = 0;
#pragma unroll 16
        for (int e = 0; e < DIMENSION; e++) score = fmaf(query[warp][e], key[lane][e], score);
        float highest = fmaxf(most, warp_maximum(seen ? score : NOTHING));
        float power = seen ? exp2_approximate(score - highest) : 0;
        float shrink = exp2_approximate(most - highest);
        most = highest;
        weight = weight * shrink + warp_sum(power);
        for (int e = 0; e < LANE; e++) sum[e] *= shrink;
        for (int t = 0; t < 32; t++) {
            float share = shuffle(power, t);
            for (int e = 0; e < LANE; e++) sum[e] = fmaf(share, value[t][lane + 32 * e], sum[e]);
        }
    }
    if (row < count) {
        for (int e = 0; e < LANE; e++) out[(head * count + row) * DIMENSION + lane + 32 * e] = sum[e] / weight;
    }
}

#else
// Many new tokens on the matrix units: a warp has 16 queries, a block 64, and goes through 64 tokens at a time. Scores stay in
// registers: accumulators of the first product are laid out as the left side of the second wants them.
#define WARPS 4
#define TOKENS 64
// Rows are four banks apart, see gemm.cu.
#define ROW (DIMENSION + 8)

#ifdef TYPE_fp16
DEVICE void multiply(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) { mma_fp16(d, a, b); }
DEVICE u32 pair(float low, float high) { return fp16_pair(low, high); }
#else
DEVICE void multiply(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) { mma_bf16(d, a, b); }
DEVICE u32 pair(float low, float high) { return bf16_pair(low, high); }
#endif

DEVICE void load_tokens(u16 (&to)[TOKENS][ROW], const u16 *from, u64 start, u64 context) {
    for (u32 i = threadIdx.x; i < TOKENS * DIMENSION / 8; i += WARPS * 32) {
        u32 row = i / (DIMENSION / 8), column = i % (DIMENSION / 8) * 8;
        bool inside = start + row < context;
        copy_async(&to[row][column], from + (inside ? start + row : 0) * DIMENSION + column, inside ? 16 : 0);
    }
}

KERNEL __launch_bounds__(WARPS * 32) attention_prefill(const u16 *queries, const u16 *keys, const u16 *values, float *out,
                                                       u64 count, u64 context, u64 causal) {
    __shared__ __align__(16) u16 key[TOKENS][ROW], value[TOKENS][ROW];
    u64 head = (u64)blockIdx.z * gridDim.y + blockIdx.y, kv_head = head / GROUP;
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 group = lane / 4, member = lane % 4;
    u64 first = (u64)blockIdx.x * 16 * WARPS + warp * 16;
    u64 row[2], visible[2];
    u32 query[DIMENSION / 16][4];
    for (int half = 0; half < 2; half++) {
        row[half] = first + group + 8 * half;
        u64 own = row[half] < count ? row[half] : count - 1;
        visible[half] = causal ? context - count + own + 1 : context;
        const u32 *words = (const u32 *)(queries + (head * count + own) * DIMENSION);
        for (int k = 0; k < DIMENSION / 16; k++) {
            query[k][half] = words[k * 8 + member];
            query[k][half + 2] = words[k * 8 + member + 4];
        }
    }
    u64 last = (u64)blockIdx.x * 16 * WARPS + 16 * WARPS - 1;
    u64 end = causal && last < count ? context - count + last + 1 : context;
    float sum[DIMENSION / 8][4] = {}, weight[2] = {0, 0}, most[2] = {NOTHING, NOTHING};
    for (u64 start = 0; start < end; start += TOKENS) {
        __syncthreads();
        load_tokens(key, keys + kv_head * context * DIMENSION, start, context);
        load_tokens(value, values + kv_head * context * DIMENSION, start, context);
        copy_async_commit();
        copy_async_wait<0>();
        __syncthreads();
        float score[TOKENS / 8][4] = {};
#pragma unroll
        for (int t = 0; t < TOKENS / 8; t++) {
            const u32 *words = (const u32 *)key[t * 8 + group];
#pragma unroll
            for (int k = 0; k < DIMENSION / 16; k++) {
                u32 right[2] = {words[k * 8 + member], words[k * 8 + member + 4]};
                multiply(score[t], query[k], right);
            }
        }
        for (int half = 0; half < 2; half++) {
            float highest = most[half];
#pragma unroll
            for (int t = 0; t < TOKENS / 8; t++) {
                for (int r = 2 * half; r < 2 * half + 2; r++) {
                    if (start + t * 8 + member * 2 + r % 2 >= visible[half]) score[t][r] = NOTHING;
                    highest = fmaxf(highest, score[t][r]);
                }
            }
            highest = fmaxf(highest, shuffle_xor(highest, 1));
            highest = fmaxf(highest, shuffle_xor(highest, 2));
            float shrink = exp2_approximate(most[half] - highest), added = 0;
            most[half] = highest;
#pragma unroll
            for (int t = 0; t < TOKENS / 8; t++) {
                for (int r = 2 * half; r < 2 * half + 2; r++) {
                    bool seen = start + t * 8 + member * 2 + r % 2 < visible[half];
                    score[t][r] = seen ? exp2_approximate(score[t][r] - highest) : 0;
                    added += score[t][r];
                }
            }
            weight[half] = weight[half] * shrink + added;
#pragma unroll
            for (int n = 0; n < DIMENSION / 8; n++) {
                sum[n][2 * half] *= shrink;
                sum[n][2 * half + 1] *= shrink;
            }
        }
#pragma unroll
        for (int k = 0; k < TOKENS / 16; k++) {
            u32 left[4] = {pair(score[2 * k][0], score[2 * k][1]), pair(score[2 * k][2], score[2 * k][3]),
                           pair(score[2 * k + 1][0], score[2 * k + 1][1]), pair(score[2 * k + 1][2], score[2 * k + 1][3])};
#pragma unroll
            for (int n = 0; n < DIMENSION / 8; n++) {
                u32 right[2];
                load_matrices_transposed(right, &value[k * 16 + lane % 16][n * 8]);
                multiply(sum[n], left, right);
            }
        }
    }
    for (int half = 0; half < 2; half++) {
        float total = weight[half] + shuffle_xor(weight[half], 1);
        total += shuffle_xor(total, 2);
        if (row[half] >= count) continue;
        float *to = out + (head * count + row[half]) * DIMENSION;
        for (int n = 0; n < DIMENSION / 8; n++) {
            for (int r = 0; r < 2; r++) to[n * 8 + member * 2 + r] = sum[n][2 * half + r] / total;
        }
    }
}
#endif
