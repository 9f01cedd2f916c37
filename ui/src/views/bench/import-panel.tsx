// Benchmark points of other tools, pasted or from a file.

import { useRef, useState } from "preact/hooks";
import { counted } from "../../format";
import { Panel } from "../../kit/panel";
import { importPoints, type Imported } from "./import";
import { points, add } from "./state";

const EXAMPLE = '[{"shape": "4096x4096", "precision": "FP16", "time_us": 203.4}]';

export function ImportPanel() {
  const [text, setText] = useState("");
  const [result, setResult] = useState<Imported | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const read = (content: string): void => {
    const found = importPoints(content);
    add(found.accepted);
    setResult(found);
  };
  return (
    <Panel
      title="Import"
      note={
        <>
          Points with <code>ai</code>, <code>tflops</code> and <code>time_us</code>, or shapes <code>NxK</code> or <code>MxNxK</code> with <code>precision</code> and <code>time_us</code>; a list, or under <code>points</code>, <code>simplified</code>, <code>rows</code> or <code>results</code>. They are drawn beside the others of this view.
        </>
      }
    >
      <div class="stack">
        <textarea class="paste" rows={8} spellcheck={false} aria-label="Points as JSON" placeholder={EXAMPLE} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <div class="buttons">
          <button type="button" class="button primary" disabled={!text.trim()} onClick={() => read(text)}>
            Import
          </button>
          <label class="button file">
            From a file
            <input
              ref={file}
              type="file"
              class="unseen"
              accept=".json,application/json"
              onChange={(event) => {
                const input = event.currentTarget;
                void input.files?.[0]?.text().then((content) => {
                  read(content);
                  input.value = "";
                });
              }}
            />
          </label>
          <button type="button" class="button" disabled={!points.value.some((point) => point.origin === "imported")} onClick={() => ((points.value = points.value.filter((point) => point.origin !== "imported")), setResult(null))}>
            Forget imported
          </button>
        </div>
        {result ? (
          <div role="status" class="small">
            <p>
              <b class="better">{counted(result.accepted.length, "point")} accepted</b>
              {result.rejected.length ? <b class="warning-text">, {result.rejected.length} rejected</b> : null}
            </p>
            <ul>
              {result.rejected.slice(0, 50).map((one) => (
                <li key={one.at}>
                  <code>{one.at}</code>: {one.reason}
                </li>
              ))}
              {result.rejected.length > 50 ? <li>and {result.rejected.length - 50} more</li> : null}
            </ul>
          </div>
        ) : null}
      </div>
    </Panel>
  );
}
