// y[n] = W[n, k] x[k]. A group of ITEMS works on one row; on a processor that is one item, which then has several sums so
// that they do not wait for each other. Rows are padded with zeros to `stride`, a multiple of 64.
#define W_AT(i) TO_REAL8(LOAD_W(codes, scales, tensor, row, (i), stride))
#define X_AT(i) TO_REAL8(LOAD_A(x_codes, x_scales, x_tensor, 0, (i), stride))

__kernel void gemv(__global const uchar *restrict codes, __global const uchar *restrict scales, const float tensor,
    __global const uchar *restrict x_codes, __global const uchar *restrict x_scales, const float x_tensor,
    __global OUT *restrict y, const uint rows, const uint stride)
{
    const ulong row = get_global_id(0) / ITEMS;
    if (row >= rows)
        return;
#if ITEMS == 1
    real8 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (uint i = 0; i < stride; i += 32) {
        s0 = MULTIPLY_ADD(W_AT(i), X_AT(i), s0);
        s1 = MULTIPLY_ADD(W_AT(i + 8), X_AT(i + 8), s1);
        s2 = MULTIPLY_ADD(W_AT(i + 16), X_AT(i + 16), s2);
        s3 = MULTIPLY_ADD(W_AT(i + 24), X_AT(i + 24), s3);
    }
    REAL sum = sum_of((s0 + s1) + (s2 + s3));
#else
    __local REAL sums[ITEMS];
    const uint item = get_local_id(0);
    real8 s = 0;
    for (uint i = item * 8; i < stride; i += ITEMS * 8)
        s = MULTIPLY_ADD(W_AT(i), X_AT(i), s);
    sums[item] = sum_of(s);
    for (uint half_of = ITEMS / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_of)
            sums[item] += sums[item + half_of];
    }
    if (item > 0)
        return;
    REAL sum = sums[0];
#endif
#ifdef INTEGER
    y[row] = (OUT)sum * (row_scale(scales, row) * row_scale(x_scales, 0));
#else
    y[row] = (OUT)sum;
#endif
}
