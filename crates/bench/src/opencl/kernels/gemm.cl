// C[m, n] = A[m, k] W[n, k]^T. A group of GROUP x GROUP items has a tile of C; both operands pass through local memory, where
// they lie k by k, and each item keeps blocks of ROWS x (VECTORS * WIDTH) in registers. BLOCKS_M x BLOCKS_N such blocks share
// what was loaded: one on graphics processors, many on a processor, where a group is one item.
//
// Places are told by global ids: those of groups begin at zero in each piece.
#define WIDE VECTOR(REAL, WIDTH)
#define LOAD_WIDE VECTOR(vload, WIDTH)
#define COLUMNS (VECTORS * WIDTH)
#define PANEL_M (GROUP * ROWS)
#define PANEL_N (GROUP * COLUMNS)
#define TILE_M (BLOCKS_M * PANEL_M)
#define TILE_N (BLOCKS_N * PANEL_N)
#define ITEMS (GROUP * GROUP)
// What is used together lies together: whole tiles k by k would put everything a block needs on the same few places of a cache.
#define PLACE(line, k, panel) ((line) / (panel) * ((panel) * DEPTH) + (k) * (panel) + (line) % (panel))

__kernel __attribute__((reqd_work_group_size(GROUP, GROUP, 1))) void gemm(__global const uchar *restrict codes,
    __global const uchar *restrict scales, const float tensor, __global const uchar *restrict a_codes,
    __global const uchar *restrict a_scales, const float a_tensor, __global OUT *restrict c, const uint m, const uint n,
    const uint stride)
{
    __local REAL a_tile[DEPTH * TILE_M];
    __local REAL w_tile[DEPTH * TILE_N];
    const uint item = get_local_id(1) * GROUP + get_local_id(0);
    const uint first_n = get_global_id(0) / GROUP * TILE_N;
    const uint first_m = get_global_id(1) / GROUP * TILE_M;
    const uint own_n = get_local_id(0) * COLUMNS;
    const uint own_m = get_local_id(1) * ROWS;

    WIDE sums[BLOCKS_M][BLOCKS_N][ROWS][VECTORS];
    for (uint bm = 0; bm < BLOCKS_M; bm++)
        for (uint bn = 0; bn < BLOCKS_N; bn++)
            for (uint r = 0; r < ROWS; r++)
                for (uint v = 0; v < VECTORS; v++)
                    sums[bm][bn][r][v] = (WIDE)(0);

    for (uint k = 0; k < stride; k += DEPTH) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < TILE_M * (DEPTH / 8); i += ITEMS) {
            const uint line = i % TILE_M, at = i / TILE_M * 8;
            real8 eight = 0;
            if (first_m + line < m && k + at < stride)
                eight = TO_REAL8(LOAD_A(a_codes, a_scales, a_tensor, first_m + line, k + at, stride));
            REAL each[8];
            vstore8(eight, 0, each);
            for (uint e = 0; e < 8; e++)
                a_tile[PLACE(line, at + e, PANEL_M)] = each[e];
        }
        for (uint i = item; i < TILE_N * (DEPTH / 8); i += ITEMS) {
            const uint line = i % TILE_N, at = i / TILE_N * 8;
            real8 eight = 0;
            if (first_n + line < n && k + at < stride)
                eight = TO_REAL8(LOAD_W(codes, scales, tensor, first_n + line, k + at, stride));
            REAL each[8];
            vstore8(eight, 0, each);
            for (uint e = 0; e < 8; e++)
                w_tile[PLACE(line, at + e, PANEL_N)] = each[e];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint bm = 0; bm < BLOCKS_M; bm++)
            for (uint bn = 0; bn < BLOCKS_N; bn++) {
                __local const REAL *a_line = a_tile + bm * PANEL_M * DEPTH + own_m;
                __local const REAL *w_line = w_tile + bn * PANEL_N * DEPTH + own_n;
                WIDE own[ROWS][VECTORS];
#pragma unroll
                for (uint r = 0; r < ROWS; r++)
#pragma unroll
                    for (uint v = 0; v < VECTORS; v++)
                        own[r][v] = sums[bm][bn][r][v];
                for (uint d = 0; d < DEPTH; d++) {
                    WIDE w[VECTORS];
#pragma unroll
                    for (uint v = 0; v < VECTORS; v++)
                        w[v] = LOAD_WIDE(v, w_line + d * PANEL_N);
#pragma unroll
                    for (uint r = 0; r < ROWS; r++) {
                        const WIDE a = (WIDE)(a_line[d * PANEL_M + r]);
#pragma unroll
                        for (uint v = 0; v < VECTORS; v++)
                            own[r][v] = MULTIPLY_ADD(a, w[v], own[r][v]);
                    }
                }
#pragma unroll
                for (uint r = 0; r < ROWS; r++)
#pragma unroll
                    for (uint v = 0; v < VECTORS; v++)
                        sums[bm][bn][r][v] = own[r][v];
            }
    }

    for (uint bm = 0; bm < BLOCKS_M; bm++)
        for (uint bn = 0; bn < BLOCKS_N; bn++)
            for (uint r = 0; r < ROWS; r++) {
                const uint row = first_m + bm * PANEL_M + own_m + r;
                for (uint v = 0; v < VECTORS; v++) {
                    REAL each[WIDTH];
                    VECTOR(vstore, WIDTH)(sums[bm][bn][r][v], 0, each);
                    for (uint e = 0; e < WIDTH; e++) {
                        const uint column = first_n + bn * PANEL_N + own_n + v * WIDTH + e;
                        if (row < m && column < n)
#ifdef INTEGER
                            c[(ulong)row * n + column]
                                = (OUT)each[e] * (row_scale(a_scales, row) * row_scale(scales, column));
#else
                            c[(ulong)row * n + column] = each[e];
#endif
                    }
                }
            }
}
