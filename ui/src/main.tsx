import { effect } from "@preact/signals";
import { render } from "preact";
import { titleOf } from "./frame";
import { keepTheme } from "./kit/theme";
import { beginning, follow, shown } from "./live";
import { findSource } from "./source";
import { Start } from "./start";
import { keepInAddress, view } from "./state";
import "./style.css";

const place = document.getElementById("app");
if (place) {
  // An address that names a view is followed; else the first document says where to begin.
  const isAsked = new URLSearchParams(location.hash.slice(1)).has("view");
  keepInAddress();
  keepTheme();
  const source = findSource();
  effect(() => {
    if (shown.value) document.title = `${titleOf(shown.value)} · eaves`;
  });
  const stop = effect(() => {
    if (!shown.value) return;
    if (!isAsked) view.value = beginning(shown.value);
    queueMicrotask(() => stop());
  });
  follow(source);
  // A file has the report there as tables, for browsers that run no programs.
  place.replaceChildren();
  render(<Start source={source} />, place);
}
