import { render } from "preact";
import { App } from "./app";
import { titleOf } from "./frame";
import { keepTheme } from "./kit/theme";
import { findSource } from "./source";
import { keepInAddress } from "./state";
import "./style.css";

async function start(): Promise<void> {
  const place = document.getElementById("app");
  if (!place) return;
  keepInAddress();
  keepTheme();
  try {
    const source = findSource();
    const report = await source.document();
    document.title = `${titleOf(report)} · eaves`;
    render(<App source={source} document={report} />, place);
  } catch (error) {
    place.textContent = `Cannot show this: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void start();
