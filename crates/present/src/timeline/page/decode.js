// From the letters in the page to columns. `payload.rs` wrote them.
async function decode(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let offset = 4 + length;
  const [starts, durations, names, details, counts, launches] = head.columns.map((size) => {
    let at = offset;
    offset += size;
    // Seven bits a byte, the lowest first. Products instead of shifts: times have more than 32 bits.
    return () => {
      let value = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte > 127);
      return value;
    };
  });
  const signed = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);

  const rows = [];
  let total = 0;
  for (const rank of head.ranks) {
    for (const track of rank.tracks) {
      track.rank = rank;
      track.rows = track.rows.map(([band, depth, count]) => {
        const row = { track, band, depth, from: total, to: (total += count) };
        rows.push(row);
        return row;
      });
    }
  }
  const data = {
    head, rows, total,
    start: new Float64Array(total), end: new Float64Array(total),
    name: new Uint32Array(total), detail: new Uint32Array(total),
    // How many slices an entry stands for, and for how long they ran.
    count: new Uint32Array(total), busy: new Float64Array(total),
    launch: new Int32Array(total).fill(-1),
  };
  for (const row of rows) {
    let time = 0;
    for (let entry = row.from; entry < row.to; entry++) {
      data.start[entry] = time + signed(starts());
      data.busy[entry] = durations();
      data.end[entry] = time = data.start[entry] + data.busy[entry];
      data.name[entry] = names();
      data.detail[entry] = details();
      data.count[entry] = counts() + 1;
      if (data.count[entry] > 1) data.busy[entry] = counts();
    }
  }
  for (const rank of head.ranks) {
    let launch = 0;
    for (const track of rank.tracks.filter((track) => track.stream)) {
      for (const row of track.rows) {
        for (let entry = row.from; entry < row.to; entry++) {
          const value = launches();
          if (value) data.launch[entry] = launch += signed(value - 1);
        }
      }
    }
  }
  return data;
}
