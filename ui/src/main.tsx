import { effect } from "@preact/signals";
import { render } from "preact";
import { titleOf } from "./frame";
import { keepTheme } from "./kit/theme";
import { follow, shown } from "./live";
import { findSource } from "./source";
import { Start } from "./start";
import { keepInAddress } from "./state";
import "./style.css";

const place = document.getElementById("app");
if (place) {
  keepInAddress();
  keepTheme();
  const source = findSource();
  effect(() => {
    if (shown.value) document.title = `${titleOf(shown.value)} · eaves`;
  });
  follow(source);
  render(<Start source={source} />, place);
}
