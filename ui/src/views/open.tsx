// Runs of the server: which there are, and new ones from a path or an upload.

import { useEffect, useState } from "preact/hooks";
import type { Props, View } from ".";
import { Panel } from "../kit/panel";
import { askRuns, openRun, runs } from "../runs";
import { run } from "../source/http";

function Open({ source }: Props) {
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const failed = (error: unknown) => setProblem(error instanceof Error ? error.message : String(error));
  useEffect(() => void askRuns(source).catch(failed), [source]);
  const add = async (body: unknown) => {
    setBusy(true);
    setProblem("");
    try {
      openRun((await source.ask<{ id: string }>("runs", body)).id, true);
    } catch (error) {
      failed(error);
      setBusy(false);
    }
  };
  const upload = (files: FileList | null | undefined) => {
    if (!files?.length) return;
    const form = new FormData();
    for (const file of files) form.append("file", file, file.name);
    void add(form);
  };
  const open = run() === "latest" ? runs.value.at(-1)?.id : run();
  return (
    <div
      class="stack"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        upload(event.dataTransfer?.files);
      }}
    >
      <Panel
        title="Open"
        note="Traces, kernel tables, NPU commands, benchmark results, compile logs, memory snapshots and saved reports. Several files become one report."
      >
        <form
          class="buttons"
          onSubmit={(event) => {
            event.preventDefault();
            if (path.trim()) void add({ paths: [path.trim()] });
          }}
        >
          <input class="search path" type="text" aria-label="Path on the server's machine" placeholder="Path on the server's machine" value={path} onInput={(event) => setPath(event.currentTarget.value)} />
          <button type="submit" class="button primary" disabled={busy || !path.trim()}>
            Open
          </button>
          <label class="button file">
            Upload files
            <input type="file" class="unseen" multiple disabled={busy} onChange={(event) => upload(event.currentTarget.files)} />
          </label>
          <span class="quiet">or drop files here</span>
        </form>
        {busy ? <p role="status">Reading…</p> : null}
        {problem ? <p role="alert" class="warning-text">{problem}</p> : null}
      </Panel>
      {runs.value.length ? (
        <Panel title="Runs">
          <ul class="runs">
            {runs.value.map((one) => (
              <li key={one.id}>
                <button type="button" class="link" aria-current={one.id === open ? "true" : undefined} title={one.inputs?.join("\n")} onClick={() => openRun(one.id, true)}>
                  {one.title}
                </button>
                {one.error ? <span class="warning-text"> cannot be read: {one.error}</span> : null}
              </li>
            ))}
          </ul>
        </Panel>
      ) : null}
    </div>
  );
}

export const open: View = {
  id: "open",
  title: "Open",
  needsNoRun: true,
  missing: ({ source }) => (source.live ? undefined : "This page is a file. `eaves serve` starts a server that opens others."),
  Component: Open,
};
