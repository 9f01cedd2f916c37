// Paints views of a report: `node pictures.mjs REPORT FOLDER VIEW...`. The browser is `CHROMIUM`, or Debian's.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [report, folder, ...views] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "reduce" });
for (const view of views) {
  await page.goto(`${pathToFileURL(report)}#view=${view}&theme=light`);
  await page.reload();
  await page.waitForSelector(`#tab-${view}[aria-selected=true]`);
  // Charts are drawn a frame after the room for them is known.
  await page.waitForSelector(".cards, canvas, .plot > svg");
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(folder, `${view}.png`) });
}
await browser.close();
