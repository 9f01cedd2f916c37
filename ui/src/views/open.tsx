// Where one begins: files from here or from the server's machine, the runs that there are, and what needs none.

import { useEffect, useState } from "preact/hooks";
import type { Props, View } from ".";
import { Panel } from "../kit/panel";
import { askRuns, openRun, type Run, runs, upload } from "../runs";
import { run } from "../source/http";
import { START } from "../source/start";
import { view } from "../state";

/** Views that need no run, and what they are for. */
const TOOLS = [
  ["devices", "Devices", "Peaks, bandwidths and links of GPUs and NPUs, with sources; side by side."],
  ["bench", "Bench", "Predict a shape or a model, and measure kernels on this machine."],
  ["live", "Live", "CPU, memory and GPU load of this machine now."],
] as const;

const STATES: Readonly<Record<string, string>> = { unread: "not read yet", reading: "reading", evicted: "read again when opened" };

function Open({ source, document }: Props) {
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState("");
  const failed = (error: unknown) => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => void askRuns(source).catch(failed), [source]);
  const add = async (what: string, asked: Promise<string>) => {
    setBusy(what);
    setProblem("");
    try {
      openRun(await asked, true);
    } catch (error) {
      failed(error);
      setBusy("");
    }
  };
  const files = (list: FileList | null | undefined) => {
    if (list?.length) void add(list.length === 1 ? list[0]!.name : `${list.length} files`, upload(source, list));
  };
  const open = run() === "latest" ? runs.value.at(-1)?.id : run();
  return (
    <div class="open">
      <Panel title="Open a recording">
        <label
          class="drop"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            event.stopPropagation();
            files(event.dataTransfer?.files);
          }}
        >
          <input type="file" class="unseen" multiple disabled={busy !== ""} onChange={(event) => files(event.currentTarget.files)} />
          <b>Drop files here, or click to choose</b>
          <span class="quiet">Traces, kernel tables, NPU commands, benchmark results, compile logs, memory snapshots, saved reports. Several files become one run.</span>
        </label>
        <form
          class="path-row"
          onSubmit={(event) => {
            event.preventDefault();
            if (path.trim()) void add(path.trim(), source.ask<{ id: string }>("runs", { paths: [path.trim()] }).then(({ id }) => id));
          }}
        >
          <input type="text" aria-label="Path on the server's machine" placeholder="or a path on the server's machine: traces/run-7" value={path} onInput={(event) => setPath(event.currentTarget.value)} />
          <button type="submit" class="button primary" disabled={busy !== "" || !path.trim()}>
            Open
          </button>
        </form>
        {busy ? (
          <div role="status">
            <p class="quiet">Reading {busy}…</p>
            <div class="reading" />
          </div>
        ) : null}
        {problem ? <p role="alert" class="warning-text">{problem}</p> : null}
      </Panel>
      {runs.value.length ? (
        <Panel title="Runs" note="The newest first.">
          <ul class="runs">
            {runs.value.toReversed().map((one) => (
              <RunRow key={one.id} one={one} isOpen={one.id === open} />
            ))}
          </ul>
        </Panel>
      ) : null}
      {document.schema === START.schema ? (
        <div class="columns">
          {TOOLS.map(([id, title, text]) => (
            <button type="button" class="panel tool" key={id} onClick={() => (view.value = id)}>
              <b>{title}</b>
              <span class="quiet">{text}</span>
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

function RunRow({ one, isOpen }: { one: Run; isOpen: boolean }) {
  const [first, ...others] = one.inputs ?? [];
  return (
    <li>
      <button type="button" class="link" aria-current={isOpen ? "true" : undefined} title={one.inputs?.join("\n")} onClick={() => openRun(one.id, true)}>
        {one.title}
      </button>
      <code class="quiet">{[first, others.length ? `and ${others.length} more` : ""].filter(Boolean).join(" ")}</code>
      {one.error ? <span class="warning-text">Cannot be read: {one.error}</span> : <span class="quiet">{isOpen ? "open" : (STATES[one.state ?? ""] ?? "")}</span>}
    </li>
  );
}

export const open: View = {
  id: "open",
  title: "Open",
  needsNoRun: true,
  missing: ({ source }) => (source.live ? undefined : "This page is a file. `eaves serve` starts a server that opens others."),
  Component: Open,
};
