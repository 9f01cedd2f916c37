// The script with formulas of one's own, checked while it is written. It needs a server: the script runs in it.

import { useEffect, useRef, useState } from "preact/hooks";
import { say } from "../../kit/export";
import type { Source } from "../../source";
import type { OpsAnswer, OpsCheck } from "../bench/requests";

/** How long the keyboard must rest before the script is checked. */
const REST = 300;

export function Script({ source }: { source: Source }) {
  const [script, setScript] = useState<string | null>(null);
  const [saved, setSaved] = useState("");
  const [path, setPath] = useState("");
  const [check, setCheck] = useState<OpsCheck | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const asked = useRef(0);
  const failed = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  const load = (): void => {
    source
      .ask<OpsAnswer>("ops")
      .then((answer) => {
        setScript(answer.script);
        setSaved(answer.script);
        setPath(answer.path);
      })
      .catch(failed);
  };
  useEffect(() => {
    load();
    return source.listen("events", (message) => {
      if (message.kind === "ops") load();
    });
  }, [source]);
  useEffect(() => {
    if (script === null) return;
    const rest = setTimeout(() => {
      asked.current += 1;
      const mine = asked.current;
      source
        .ask<OpsCheck>("ops/check", { script })
        .then((answer) => {
          // An answer to what has been changed since says nothing.
          if (mine !== asked.current) return;
          setCheck(answer);
          setProblem(null);
        })
        .catch(failed);
    }, REST);
    return () => clearTimeout(rest);
  }, [script]);
  if (script === null) return problem ? <p class="warning-text">{problem}</p> : <p class="quiet">Reading the script…</p>;
  const lines = script.split("\n").length;
  const wrong = new Set(check?.errors.map((error) => error.line));
  const goTo = (line: number | null): void => {
    const area = field.current;
    if (!area || line === null) return;
    const start = script.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(start, start + (script.split("\n")[line - 1]?.length ?? 0));
  };
  return (
    <div class="stack script">
      <p class="quiet small">
        Formulas of operators: <code>op("ID_SOFTMAX", |cmd| #{"{"} flops: …, bytes: … {"}"})</code>. {path}
      </p>
      <div class="editor">
        <div class="gutter" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} class={wrong.has(index + 1) ? "wrong" : ""}>
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={field}
          spellcheck={false}
          wrap="off"
          aria-label="Script with formulas"
          aria-invalid={check ? !check.ok : undefined}
          value={script}
          onInput={(event) => setScript(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <div role="status" class="small">
        {check?.ok ? <p class="better">No errors</p> : null}
        {check?.errors.map((error, index) => (
          <p key={index} class="warning-text">
            <button type="button" class="link" onClick={() => goTo(error.line)}>
              {error.line === null ? "script" : `line ${error.line}`}
            </button>
            : {error.message}
          </p>
        ))}
        {problem ? <p class="warning-text">{problem}</p> : null}
      </div>
      <div class="buttons">
        <button
          type="button"
          class="button"
          disabled={script === saved || check?.ok === false}
          onClick={() => {
            source
              .ask<OpsAnswer>("ops", { script }, "PUT")
              .then((answer) => {
                setSaved(answer.script);
                say(`Saved to ${answer.path}`);
              })
              .catch(failed);
          }}
        >
          Save
        </button>
        <button type="button" class="button" disabled={script === saved} onClick={() => setScript(saved)}>
          Revert
        </button>
      </div>
    </div>
  );
}
