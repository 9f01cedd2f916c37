import { defineConfig } from "vitest/config";

// Measurements of the built page in a real browser: they print, and assert nothing about time.
export default defineConfig({
  test: { include: ["test/browser/**/*.bench.ts"], environment: "node", globalSetup: "test/browser/build.ts", disableConsoleIntercept: true, testTimeout: 300_000 },
});
