import { useEffect, useRef } from "preact/hooks";
import { frameCommands } from "./commands";
import { shownPart, useFiltered } from "./filtered";
import { Top } from "./frame";
import { ExplanationLayer } from "./kit/explain";
import { notice, say, tellPart } from "./kit/export";
import { Help, openHelp } from "./kit/help";
import { hearKeys, type Key, useKeys } from "./kit/keys";
import { openPalette, Palette } from "./kit/palette";
import { Empty, Prose } from "./kit/panel";
import { hideTip, TooltipLayer } from "./kit/tooltip";
import { choose, theme } from "./kit/theme";
import { openRun, runs, upload } from "./runs";
import { run } from "./source/http";
import { rank, select, selected, set, view } from "./state";
import { START } from "./source/start";
import { type Props, tabs, VIEWS } from "./views";

/** The view of the address, or the first. Without a run, one that needs none. */
function opened(props: Props) {
  const wanted = VIEWS.find((one) => one.id === view.value) ?? VIEWS[0];
  return props.document.schema === START.schema && !wanted?.needsNoRun ? VIEWS.find((one) => one.id === "open") : wanted;
}

/** Lets the selection go, then the rank. */
function escape(): void {
  if (selected.value.size > 0) select([]);
  else rank.value = null;
}

function keys(props: Props): Key[] {
  return [
    { keys: ["Ctrl+K", ":"], does: "Commands and names", group: "Page", everywhere: true, run: (event) => (event.key === ":" && isField(event.target) ? false : openPalette()) },
    { keys: ["/"], does: "Search", group: "Page", run: () => document.querySelector<HTMLInputElement>("#search")?.focus() },
    { keys: ["?"], does: "Keys", group: "Page", run: openHelp },
    { keys: ["Escape"], does: "Close; clear the selection, then the rank", group: "Page", everywhere: true, run: escape },
    { keys: ["T"], does: "Light or dark", group: "Page", run: () => choose(theme.value === "dark" ? "light" : "dark") },
    ...tabs(props).slice(0, 9).map((one, at): Key => ({ keys: [String(at + 1)], does: one.title, group: "Views", run: () => void (view.value = one.id) })),
    { keys: ["[", "]"], does: "View before, view after", group: "Views", run: (event) => step(props, event.key === "]" ? 1 : -1) },
    { keys: ["ArrowUp", "ArrowDown", "PageUp", "PageDown"], does: "Row", group: "Tables", listed: true, run: () => false },
    { keys: ["Enter"], does: "Select a name, explain a number", group: "Tables", listed: true, run: () => false },
    { keys: ["Space"], does: "Select one more, or one less", group: "Tables", listed: true, run: () => false },
  ];
}

/** Files that are dropped anywhere on the page of a server are opened; beside a run, as one to compare with it. */
function hearDrops(source: Props["source"]): () => void {
  if (!source.live) return () => {};
  const over = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && event.preventDefault();
  const drop = (event: DragEvent) => {
    const files = event.dataTransfer?.files;
    if (!files?.length) return;
    event.preventDefault();
    say(`Reading ${files.length === 1 ? files[0]!.name : `${files.length} files`}…`);
    upload(source, files).then(dropped, (error: unknown) => say(`Not opened: ${error instanceof Error ? error.message : String(error)}`));
  };
  addEventListener("dragover", over);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("drop", drop);
  };
}

function dropped(id: string): void {
  const before = run() === "latest" ? runs.value.at(-1)?.id : run();
  // Pictures of two runs have the one that was there as their base.
  if (before && ["timeline", "flame"].includes(view.value)) set("base", `run ${before}`);
  const isPicture = ["timeline", "flame", "compare"].includes(view.value);
  setTimeout(() => openRun(id, !isPicture), 250);
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

function step(props: Props, by: number): void {
  const all = tabs(props);
  const at = all.findIndex((one) => one === opened(props));
  view.value = all[(at + by + all.length) % all.length]?.id ?? view.value;
}

/** The whole page: the frame, the view that is open, and what may lie on top. */
export function App(props: Props) {
  const open = opened(props);
  const main = useRef<HTMLElement>(null);
  useEffect(hearKeys, []);
  useEffect(() => hearDrops(props.source), [props.source]);
  tellPart(() => shownPart(open?.filter, props.source.live));
  useKeys(() => keys(props), [props.document]);
  useEffect(() => {
    hideTip();
    main.current?.scrollTo(0, 0);
  }, [open]);
  const { document, note, busy } = useFiltered(props.source, props.document, open?.filter);
  if (!open) return null;
  const shown = { ...props, document, whole: props.document };
  const missing = open.missing?.(shown);
  return (
    <>
      <a class="skip" href="#view" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        To the view
      </a>
      <Top {...props} open={open} note={note} />
      <main id="view" ref={main} tabIndex={-1}>
        <div role="tabpanel" id="panel" aria-labelledby={`tab-${open.id}`} aria-busy={busy ?? false}>
          {missing && open.Missing ? (
            <open.Missing {...shown} missing={missing} />
          ) : missing ? (
            <Empty>
              <Prose text={missing} />
            </Empty>
          ) : (
            <open.Component {...shown} />
          )}
        </div>
      </main>
      <TooltipLayer />
      <ExplanationLayer document={document} />
      <Palette commands={() => frameCommands(props)} />
      <Help />
      <div aria-live="polite">{notice.value ? <div class="notice">{notice.value}</div> : null}</div>
    </>
  );
}
