// What is on the page before there is a document, and if there will be none.

import type { Source } from "./source";
import { App } from "./app";
import { problem, shown } from "./live";

export function Start({ source }: { source: Source }) {
  if (shown.value) return <App source={source} document={shown.value} />;
  if (problem.value) return <Problem error={problem.value} isLive={source.live} />;
  return (
    <main class="error-page" aria-busy="true">
      <h1>eaves</h1>
      <p class="quiet">Reading the recording…</p>
      <div class="reading" />
    </main>
  );
}

/** What went wrong, in words for the person who opened the page. */
export function Problem({ error, isLive }: { error: Error; isLive: boolean }) {
  // A browser says no more of a server that does not answer.
  const noServer = isLive && error instanceof TypeError;
  const title = noServer ? "No server answers" : isLive ? "No answer from the server" : "This page is damaged";
  return (
    <main class="error-page">
      <h1>{title}</h1>
      <pre role="alert">{error.message}</pre>
      {noServer ? (
        <p>
          The server that this page came from has ended, or cannot be reached. Start it again with <code>eaves open TRACE</code>, then reload this page.
        </p>
      ) : isLive ? (
        <p>
          <a href="?">Show the newest run</a>, or open another one with <code>eaves open TRACE</code>.
        </p>
      ) : (
        <p>
          Its data cannot be read: the file was cut or changed on its way. Write it again with <code>eaves report TRACE -o report.html</code>.
        </p>
      )}
      <p>
        <button type="button" class="button" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    </main>
  );
}
