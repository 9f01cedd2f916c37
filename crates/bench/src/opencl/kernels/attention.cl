// Attention in one pass over keys and values, with the softmax kept up to date (Milakov and Gimelshein, "Online normalizer
// calculation for softmax", 2018; Dao et al., "FlashAttention", 2022): scores never reach memory.
//
// The queries of all heads that share keys are one list of rows; a group of ITEMS has TILE_ROWS of them and one of `splits`
// parts of the keys. Keys, and then values, are taken TILE_KEYS at a time into local memory. STRIDE is the stored length of a
// head, a multiple of 8 that is padded with zeros. An item has blocks of BLOCK_ROWS x BLOCK_KEYS scores, and of BLOCK_ROWS x
// BLOCK_VECTORS results.
#define ALL(i, count) for (uint i = get_local_id(0); i < (count); i += ITEMS)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void attention(__global const uchar *restrict k_codes,
    __global const uchar *restrict v_codes, __global const uchar *restrict q_codes,
    __global const uchar *restrict k_scales, __global const uchar *restrict v_scales,
    __global const uchar *restrict q_scales, const float k_tensor, const float v_tensor, const float q_tensor,
    __global REAL *restrict out, __global REAL *restrict state, const uint rows, const uint queries, const uint context,
    const uint causal, const uint dimension, const uint splits, const REAL scale)
{
    __local REAL q[TILE_ROWS * STRIDE];
    __local REAL kv[TILE_KEYS * STRIDE];
    __local REAL sums[TILE_ROWS * STRIDE];
    __local REAL scores[TILE_ROWS * TILE_KEYS];
    __local REAL largest[TILE_ROWS], total[TILE_ROWS], shrink[TILE_ROWS];

    const uint first = get_global_id(0) / ITEMS * TILE_ROWS;
    const uint split = get_global_id(1) % splits;
    const ulong pair = get_global_id(1) / splits;
    if (first >= rows)
        return;
    const uint mine = min((uint)TILE_ROWS, rows - first);

    ALL(i, TILE_ROWS * STRIDE / 8)
    {
        const uint row = i / (STRIDE / 8), at = i % (STRIDE / 8) * 8;
        real8 eight = 0;
        if (row < mine)
            eight = TO_REAL8(LOAD_W(q_codes, q_scales, q_tensor, pair * rows + first + row, at, STRIDE)) * scale;
        vstore8(eight, 0, q + row * STRIDE + at);
        vstore8((real8)(0), 0, sums + row * STRIDE + at);
    }
    ALL(row, TILE_ROWS)
    {
        largest[row] = -INFINITY;
        total[row] = 0;
    }

    // A row sees keys up to its own position; the last query of the tile decides where it ends.
    const uint from = (uint)((ulong)context * split / splits);
    const uint to = (uint)((ulong)context * (split + 1) / splits);
    for (uint key = from; key < to; key += TILE_KEYS) {
        const uint keys = min((uint)TILE_KEYS, to - key);
        if (causal) {
            // Queries of a tile that spans heads are not in order, so this is asked of each row.
            uint last = 0;
            for (uint row = 0; row < mine; row++)
                last = max(last, context - queries + (first + row) % queries);
            if (key > last)
                break;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ALL(i, TILE_KEYS * STRIDE / 8)
        {
            const uint row = i / (STRIDE / 8), at = i % (STRIDE / 8) * 8;
            real8 eight = 0;
            if (row < keys)
                eight = TO_REAL8(LOAD_W(k_codes, k_scales, k_tensor, pair * context + key + row, at, STRIDE));
            vstore8(eight, 0, kv + row * STRIDE + at);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // Blocks of rows and keys, so that several sums are under way at once and what was read is used several times.
        ALL(i, (TILE_ROWS / BLOCK_ROWS) * (TILE_KEYS / BLOCK_KEYS))
        {
            const uint row = i / (TILE_KEYS / BLOCK_KEYS) * BLOCK_ROWS, other = i % (TILE_KEYS / BLOCK_KEYS) * BLOCK_KEYS;
            real8 products[BLOCK_ROWS][BLOCK_KEYS];
#pragma unroll
            for (uint a = 0; a < BLOCK_ROWS; a++)
#pragma unroll
                for (uint b = 0; b < BLOCK_KEYS; b++)
                    products[a][b] = (real8)(0);
            for (uint d = 0; d < STRIDE; d += 8) {
                real8 each[BLOCK_KEYS];
#pragma unroll
                for (uint b = 0; b < BLOCK_KEYS; b++)
                    each[b] = vload8(0, kv + (other + b) * STRIDE + d);
#pragma unroll
                for (uint a = 0; a < BLOCK_ROWS; a++) {
                    const real8 one = vload8(0, q + (row + a) * STRIDE + d);
#pragma unroll
                    for (uint b = 0; b < BLOCK_KEYS; b++)
                        products[a][b] = fma(one, each[b], products[a][b]);
                }
            }
#pragma unroll
            for (uint a = 0; a < BLOCK_ROWS; a++) {
                const uint position = context - queries + (first + row + a) % queries;
#pragma unroll
                for (uint b = 0; b < BLOCK_KEYS; b++) {
                    const bool seen
                        = row + a < mine && other + b < keys && (!causal || key + other + b <= position);
                    scores[(row + a) * TILE_KEYS + other + b] = seen ? sum_of(products[a][b]) : (REAL)-INFINITY;
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ALL(row, TILE_ROWS)
        {
            REAL most = largest[row];
            for (uint other = 0; other < TILE_KEYS; other++)
                most = fmax(most, scores[row * TILE_KEYS + other]);
            // A row that has seen nothing yet has nothing to shrink.
            shrink[row] = largest[row] == -INFINITY ? (REAL)0 : exp(largest[row] - most);
            largest[row] = most;
        }
        // Keys are read, so their place is free for values.
        ALL(i, TILE_KEYS * STRIDE / 8)
        {
            const uint row = i / (STRIDE / 8), at = i % (STRIDE / 8) * 8;
            real8 eight = 0;
            if (row < keys)
                eight = TO_REAL8(LOAD_W(v_codes, v_scales, v_tensor, pair * context + key + row, at, STRIDE));
            vstore8(eight, 0, kv + row * STRIDE + at);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ALL(i, TILE_ROWS * TILE_KEYS / 8)
        {
            const REAL most = largest[i / (TILE_KEYS / 8)];
            const real8 weight = most == -INFINITY ? (real8)(0) : exp(vload8(i, scores) - most);
            vstore8(weight, i, scores);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ALL(row, TILE_ROWS)
        {
            real8 weights = 0;
            for (uint other = 0; other < TILE_KEYS; other += 8)
                weights += vload8(0, scores + row * TILE_KEYS + other);
            total[row] = fma(total[row], shrink[row], sum_of(weights));
        }
        ALL(i, (TILE_ROWS / BLOCK_ROWS) * (STRIDE / 8 / BLOCK_VECTORS))
        {
            const uint row = i / (STRIDE / 8 / BLOCK_VECTORS) * BLOCK_ROWS;
            const uint at = i % (STRIDE / 8 / BLOCK_VECTORS) * 8 * BLOCK_VECTORS;
            real8 sum[BLOCK_ROWS][BLOCK_VECTORS];
#pragma unroll
            for (uint a = 0; a < BLOCK_ROWS; a++)
#pragma unroll
                for (uint b = 0; b < BLOCK_VECTORS; b++)
                    sum[a][b] = vload8(b, sums + (row + a) * STRIDE + at) * shrink[row + a];
            for (uint other = 0; other < keys; other++) {
                real8 each[BLOCK_VECTORS];
#pragma unroll
                for (uint b = 0; b < BLOCK_VECTORS; b++)
                    each[b] = vload8(b, kv + other * STRIDE + at);
#pragma unroll
                for (uint a = 0; a < BLOCK_ROWS; a++) {
                    const real8 weight = (real8)(scores[(row + a) * TILE_KEYS + other]);
#pragma unroll
                    for (uint b = 0; b < BLOCK_VECTORS; b++)
                        sum[a][b] = fma(weight, each[b], sum[a][b]);
                }
            }
#pragma unroll
            for (uint a = 0; a < BLOCK_ROWS; a++)
#pragma unroll
                for (uint b = 0; b < BLOCK_VECTORS; b++)
                    vstore8(sum[a][b], b, sums + (row + a) * STRIDE + at);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    ALL(i, mine * dimension)
    {
        const uint row = i / dimension, d = i % dimension;
        const ulong place = pair * rows + first + row;
        const REAL sum = sums[row * STRIDE + d];
        if (splits == 1)
            out[place * dimension + d] = total[row] > 0 ? sum / total[row] : (REAL)0;
        else
            out[(place * splits + split) * dimension + d] = sum;
    }
    if (splits > 1)
        ALL(row, mine)
        {
            const ulong place = (pair * rows + first + row) * splits + split;
            state[place * 2] = largest[row];
            state[place * 2 + 1] = total[row];
        }
}

// Puts the parts of each row together.
__kernel void combine(__global REAL *restrict out, __global const REAL *restrict parts, __global const REAL *restrict state,
    const uint rows, const uint dimension, const uint splits)
{
    const ulong place = get_global_id(0) / COMBINE_ITEMS;
    if (place >= rows)
        return;
    REAL most = -INFINITY, total = 0;
    for (uint split = 0; split < splits; split++)
        most = fmax(most, state[(place * splits + split) * 2]);
    for (uint split = 0; split < splits; split++)
        if (state[(place * splits + split) * 2 + 1] > 0)
            total += state[(place * splits + split) * 2 + 1] * exp(state[(place * splits + split) * 2] - most);
    for (uint d = get_local_id(0); d < dimension; d += COMBINE_ITEMS) {
        REAL sum = 0;
        for (uint split = 0; split < splits; split++)
            if (state[(place * splits + split) * 2 + 1] > 0)
                sum += parts[(place * splits + split) * dimension + d] * exp(state[(place * splits + split) * 2] - most);
        out[place * dimension + d] = total > 0 ? sum / total : (REAL)0;
    }
}
