import { expect, test } from "vitest";
import { open, picture, recorded, TRAINING, useBrowser, write } from "./harness";

useBrowser();
const training = write("training", recorded(TRAINING));

test("the page opens", async () => {
  const page = await open(training);
  expect(await page.locator("h1").textContent()).toContain("training");
  await picture(page, "frame");
});
