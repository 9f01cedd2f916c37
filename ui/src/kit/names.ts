// Long names of kernels in little room: the twin of `shorten` in `crates/present/src/names.rs`, held to its examples.

const ELLIPSIS = "…";
/** Kernels whose work is in their arguments. */
const WRAPPERS = ["elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel"];

function cutEnd(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < 1 ? "" : text.slice(0, width - 1) + ELLIPSIS;
}

function cutMiddle(text: string, width: number, head: number, tail: number): string {
  if (text.length <= width) return text;
  if (width < 1) return "";
  const front = Math.floor(((width - 1) * head) / (head + tail));
  const back = width - 1 - front;
  return text.slice(0, front) + ELLIPSIS + (back ? text.slice(-back) : "");
}

function isCpp(name: string): boolean {
  if (name.startsWith("<") || name.includes(".py(")) return false;
  return name.startsWith("void ") || name.includes("::") || /^[^(]*\w\(.*\)$/s.test(name);
}

/** The place after the bracket that closes the one at `start`. */
function groupEnd(text: string, start: number, open: string, close: string): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === open) depth += 1;
    else if (text[at] === close && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Without the arguments of calls and the bodies of lambdas. */
function withoutCalls(name: string): string {
  const source = name.replace(/^void /, "").replace(/(\.kd| \[clone \.kd\])$/, "");
  let text = "";
  for (let at = 0; at < source.length; ) {
    const letter = source[at] ?? "";
    if (letter === "(" && /[\p{L}\p{N}_>)]$/u.test(text.slice(-2))) at = groupEnd(source, at, "(", ")");
    else if (letter === "{") at = groupEnd(source, at, "{", "}");
    else {
      text += letter;
      at += 1;
    }
  }
  for (const noise of ["::operator const", "::operator", " const::"]) text = text.replaceAll(noise, "::");
  return text
    .replace(/(::){2,}/g, "::")
    .replaceAll("::,", ",")
    .replaceAll("::>", ">")
    .replaceAll("::)", ")")
    .replaceAll(" >", ">")
    .replace(/:+$/, "")
    .trim();
}

function withoutTemplate(text: string, template: string): string {
  const start = text.indexOf(template);
  if (start < 0) return text;
  const inner = start + template.length;
  const end = groupEnd(text, inner - 1, "<", ">") - 1;
  if (text[end] !== ">") return text;
  return text.slice(0, start) + text.slice(inner, end) + text.slice(end + 1);
}

function withoutNamespaces(name: string): string {
  let text = name
    .replace(/^void /, "")
    .replaceAll("(anonymous namespace)::", "")
    .replace(/[\p{L}\p{N}_]*::/gu, "")
    .replaceAll(" >", ">");
  for (const wrapper of ["gpu_kernel_impl_nocast<", "gpu_kernel_impl<"]) text = withoutTemplate(text, wrapper);
  return text.replace(/, [aA]rray<char\*, [1-9](ul)?>/g, "");
}

function shortenTemplate(base: string, given: string, width: number): string {
  if (!WRAPPERS.some((wrapper) => base.includes(wrapper)) && !base.startsWith("Kernel")) {
    const head = cutMiddle(base, width, 1, 2);
    const room = width - head.length;
    if (given.length <= room) return head + given;
    if (room < 5) return room ? head + ELLIPSIS : head;
    return `${head}${cutEnd(given, room - 1)}>`;
  }
  const inner = `<${given.slice(1).replace(/^[\d, ]+/, "")}`;
  const head = cutEnd(base, width - Math.min(inner.length, Math.floor((width * 3) / 4)));
  return head + cutMiddle(inner, width - head.length, 3, 2);
}

/** A name in so many letters. The noise of C++ goes first, then what stands in the middle. */
export function shorten(name: string, width: number): string {
  if (name.length <= width) return name;
  if (!isCpp(name)) {
    const tile = name.startsWith("Cijk_") ? /_MT[^_]*/.exec(name)?.[0] : undefined;
    if (tile && width > tile.length) return cutEnd(name, width - tile.length - 1) + tile + ELLIPSIS;
    return cutMiddle(name, width, 1, 2);
  }
  const calls = withoutCalls(name);
  if (calls.length <= width) return calls;
  const plain = withoutNamespaces(calls);
  if (plain.length <= width) return plain;
  const start = plain.indexOf("<");
  return start > 0 ? shortenTemplate(plain.slice(0, start), plain.slice(start), width) : cutMiddle(plain, width, 1, 2);
}

/** Names in so many letters each, none of which looks like another that differs: the twin of `shorten_all`. */
export function shortenAll(names: readonly string[], width: number): string[] {
  const short = names.map((name) => shorten(name, width));
  const open = alike(names, names.map((_, at) => at), short);
  for (let group = open.pop(); group; group = open.pop()) {
    tellApart(names, group, width, short);
    for (const still of alike(names, group, short)) {
      if (still.length < group.length) open.push(still);
      else count(names, still, width, short, new Set());
    }
  }
  // What was told apart within its group may look like a name of another group now.
  for (const still of alike(names, names.map((_, at) => at), short)) {
    const others = new Set(short);
    count(names, still, width, short, others);
  }
  return short;
}

/** Places whose short names are the same though the names are not. */
function alike(names: readonly string[], among: readonly number[], short: readonly string[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const at of among) {
    const key = short[at] ?? "";
    const group = groups.get(key);
    if (group) group.push(at);
    else groups.set(key, [at]);
  }
  return [...groups.values()].filter((group) => group.some((at) => names[at] !== names[group[0] as number]));
}

/** Shows what comes behind the letters that all begin with. */
function tellApart(names: readonly string[], group: readonly number[], width: number, short: string[]): void {
  const full = group.map((at) => (isCpp(names[at] ?? "") ? withoutNamespaces(names[at] ?? "") : (names[at] ?? "")));
  const [first = ""] = full;
  const same = full.reduce((least, name) => {
    let letters = 0;
    while (letters < least && first[letters] === name[letters]) letters += 1;
    return letters;
  }, first.length);
  group.forEach((at, place) => {
    const name = full[place] ?? "";
    if (same < Math.floor((width * 2) / 3)) {
      short[at] = cutEnd(name, width);
      return;
    }
    const room = Math.floor(width / 3);
    const skipped = Math.max(0, same - Math.floor(room / 2));
    const head = name.slice(0, Math.min(room, skipped));
    short[at] = `${head}${ELLIPSIS}${cutEnd(name.slice(skipped), Math.max(0, width - head.length - 1))}`;
  });
}

/** Gives numbers to names that nothing else tells apart, and none that is taken. */
function count(names: readonly string[], group: readonly number[], width: number, short: string[], taken: Set<string>): void {
  const seen = new Map<string, string>();
  for (const at of group) {
    const name = names[at] ?? "";
    const before = seen.get(name);
    if (before !== undefined) {
      short[at] = before;
      continue;
    }
    const base = short[at] ?? "";
    let text = base;
    for (let number = 2; taken.has(text); number++) {
      const suffix = `${ELLIPSIS}#${number}`;
      text = base.slice(0, Math.max(0, width - suffix.length)) + suffix;
    }
    short[at] = text;
    seen.set(name, text);
    taken.add(text);
  }
}
