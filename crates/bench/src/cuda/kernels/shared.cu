// What sources share and no instruction is in.

DEVICE float warp_sum(float value) {
    for (int mask = 16; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
    return value;
}

DEVICE float warp_maximum(float value) {
    for (int mask = 16; mask > 0; mask /= 2) value = fmaxf(value, shuffle_xor(value, mask));
    return value;
}

// The sign does not matter to a stream, but zeros do: hardware may not store them at all.
DEVICE u32 mixed(u32 index) {
    index *= 2654435761u;
    return index ^ (index >> 15);
}
