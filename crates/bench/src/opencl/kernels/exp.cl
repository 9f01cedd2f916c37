// Exponentials of vectors that stay in registers and the first cache: each pass has other arguments, so that none can be left
// out, and the results of all passes are summed.
__kernel void exponentials(__global float8 *restrict out, __global const float8 *restrict from, const uint period,
    const uint passes, const float step, const uint items)
{
    const size_t item = get_global_id(0);
    if (item >= items)
        return;
    float8 x = from[item % period];
    float8 sum = (float8)(0);
    for (uint pass = 0; pass < passes; pass++) {
        sum += exp(x);
        x -= step;
    }
    out[item] = sum;
}
