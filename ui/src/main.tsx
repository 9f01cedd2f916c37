import { render } from "preact";
import { App } from "./app";
import { findSource } from "./source";
import { keepInAddress } from "./state";
import "./style.css";

async function start(): Promise<void> {
  const place = document.getElementById("app");
  if (!place) return;
  keepInAddress();
  try {
    const source = findSource();
    render(<App source={source} document={await source.document()} />, place);
  } catch (error) {
    place.textContent = `Cannot show this: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void start();
