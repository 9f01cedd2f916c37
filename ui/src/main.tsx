import { effect } from "@preact/signals";
import { render } from "preact";
import { titleOf } from "./frame";
import { keepTheme } from "./kit/theme";
import { beginning, follow, shown } from "./live";
import { findSource, type Source } from "./source";
import type { Document } from "./source/document";
import { madeWith } from "./source/inline";
import { Start } from "./start";
import { keepInAddress, made, view } from "./state";
import { VIEWS } from "./views";
import "./style.css";

/** The view that a document begins with; its tables, if that view has nothing to show of it. */
function opening(source: Source, document: Document): string {
  const wanted = beginning(document);
  return VIEWS.find((one) => one.id === wanted)?.missing?.({ source, document }) ? "sections" : wanted;
}

const place = document.getElementById("app");
if (place) {
  // An address that names a view is followed; else the first document says where to begin.
  const isAsked = new URLSearchParams(location.hash.slice(1)).has("view");
  made.value = madeWith();
  keepInAddress();
  keepTheme();
  const source = findSource();
  effect(() => {
    if (shown.value) document.title = `${titleOf(shown.value)} · eaves`;
  });
  const stop = effect(() => {
    if (!shown.value) return;
    if (!isAsked) view.value = opening(source, shown.value);
    queueMicrotask(() => stop());
  });
  follow(source);
  // A file has the report there as tables, for browsers that run no programs.
  place.replaceChildren();
  render(<Start source={source} />, place);
}
