// C[m][n] = A[m][k] B[n][k]: rows of both are padded with zeros to 64 bytes, so that there is no rest of k. C is in what is
// accumulated: FP32, or INT32 for integers.

// The matrix units: 128x128 of C a block, 64x32 a warp, 64 bytes of k at a time, the next 64 on their way meanwhile. Rows
// of 16 words lie 20 apart in shared memory, which puts the eight rows that a fragment is of into different banks.
#define TILE 128
#define STEP 16
#define PITCH 20

DEVICE void load_tile(u32 (&tile)[2 * TILE][PITCH], const u32 *a, const u32 *b, u32 m, u32 n, u32 words, u32 step) {
    for (int i = 0; i < 4; i++) {
        u32 row = threadIdx.x / 4 + i * 64, word = threadIdx.x % 4 * 4;
        bool left = row < TILE;
        u32 of = left ? blockIdx.y * TILE + row : blockIdx.x * TILE + row - TILE;
        bool inside = of < (left ? m : n);
        const u32 *from = (left ? a : b) + (u64)(inside ? of : 0) * words + step * STEP + word;
        copy_async(&tile[row][word], from, inside ? 16 : 0);
    }
}

template <typename Type>
DEVICE void gemm_tensor(const u32 *a, const u32 *b, typename Type::Number *c, u32 m, u32 n, u32 words) {
    __shared__ __align__(16) u32 tiles[2][2 * TILE][PITCH];
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 group = lane / 4, member = lane % 4;
    u32 warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    typename Type::Number d[4][4][4] = {};
    u32 steps = words / STEP;
    load_tile(tiles[0], a, b, m, n, words, 0);
    copy_async_commit();
    for (u32 step = 0; step < steps; step++) {
        if (step + 1 < steps) load_tile(tiles[(step + 1) % 2], a, b, m, n, words, step + 1);
        copy_async_commit();
        copy_async_wait<1>();
        __syncthreads();
        u32(&tile)[2 * TILE][PITCH] = tiles[step % 2];
#pragma unroll
        for (u32 part = 0; part < STEP; part += 8) {
            u32 left[4][4], right[4][2];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                u32 row = warp_row + i * 16 + group;
                left[i][0] = tile[row][part + member];
                left[i][1] = tile[row + 8][part + member];
                left[i][2] = tile[row][part + member + 4];
                left[i][3] = tile[row + 8][part + member + 4];
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                u32 row = TILE + warp_column + j * 8 + group;
                right[j][0] = tile[row][part + member];
                right[j][1] = tile[row][part + member + 4];
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) Type::mma(d[i][j], left[i], right[j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            for (int r = 0; r < 4; r++) {
                u32 row = blockIdx.y * TILE + warp_row + i * 16 + group + 8 * (r / 2);
                u32 column = blockIdx.x * TILE + warp_column + j * 8 + member * 2 + r % 2;
                if (row < m && column < n) c[(u64)row * n + column] = d[i][j][r];
            }
        }
    }
}

#define GEMM(NAME, NUMBER)                                                                                             \
    struct Type_##NAME {                                                                                               \
        typedef NUMBER Number;                                                                                         \
        DEVICE void mma(NUMBER (&d)[4], const u32 (&a)[4], const u32 (&b)[2]) { mma_##NAME(d, a, b); }                 \
    };                                                                                                                 \
    KERNEL __launch_bounds__(256) gemm_##NAME(const u32 *a, const u32 *b, NUMBER *c, u64 m, u64 n, u64 words) {        \
        gemm_tensor<Type_##NAME>(a, b, c, (u32)m, (u32)n, (u32)words);                                                 \
    }

#ifdef TYPE_fp32
// The vector units: 128x128 of C a block, 8x8 a thread, eight of k at a time.
#define DEPTH 8

KERNEL __launch_bounds__(256) gemm_fp32(const float *a, const float *b, float *c, u64 m, u64 n, u64 words) {
    __shared__ __align__(16) float left[DEPTH][TILE + 4], right[DEPTH][TILE + 4];
    u32 row = threadIdx.x / 2, part = threadIdx.x % 2 * 4;
    u64 left_row = (u64)blockIdx.y * TILE + row, right_row = (u64)blockIdx.x * TILE + row;
    u32 down = threadIdx.x / 16 * 4, across = threadIdx.x % 16 * 4;
    float d[8][8] = {};
    for (u64 k = 0; k < words; k += DEPTH) {
        float4 none = make_float4(0, 0, 0, 0);
        float4 x = left_row < m ? *(const float4 *)(a + left_row * words + k + part) : none;
        float4 y = right_row < n ? *(const float4 *)(b + right_row * words + k + part) : none;
        left[part][row] = x.x, left[part + 1][row] = x.y, left[part + 2][row] = x.z, left[part + 3][row] = x.w;
        right[part][row] = y.x, right[part + 1][row] = y.y, right[part + 2][row] = y.z, right[part + 3][row] = y.w;
        __syncthreads();
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
            float p[8], q[8];
            for (int i = 0; i < 4; i++) {
                p[i] = left[depth][down + i], p[i + 4] = left[depth][64 + down + i];
                q[i] = right[depth][across + i], q[i + 4] = right[depth][64 + across + i];
            }
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) d[i][j] = fmaf(p[i], q[j], d[i][j]);
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) {
        u64 to = (u64)blockIdx.y * TILE + i / 4 * 64 + down + i % 4;
        for (int j = 0; j < 8; j++) {
            u64 column = (u64)blockIdx.x * TILE + j / 4 * 64 + across + j % 4;
            if (to < m && column < n) c[to * n + column] = d[i][j];
        }
    }
}
#elif defined(TYPE_int8)
GEMM(int8, int)
#elif defined(TYPE_fp16)
GEMM(fp16, float)
#elif defined(TYPE_bf16)
GEMM(bf16, float)
#elif defined(TYPE_tf32)
GEMM(tf32, float)
#elif defined(TYPE_fp8_e4m3)
GEMM(fp8_e4m3, float)
#elif defined(TYPE_fp8_e5m2)
GEMM(fp8_e5m2, float)
#endif
