import "./test/node20";
import { defineConfig } from "vitest/config";

// The built page in a real browser. `EAVES` is the program that writes what the page shows, `CHROMIUM` the browser.
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    environment: "node",
    globalSetup: "test/browser/build.ts",
    testTimeout: 180_000,
    // A busy machine is slow, not wrong.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    // Each file starts a browser of its own; more at a time than cores only makes all of them slow.
    maxWorkers: 2,
  },
});
