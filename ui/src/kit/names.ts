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
