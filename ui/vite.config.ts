import { defineConfig } from "vite";

// One script and one style sheet with fixed names, inside the crate that carries them. No hashes, no chunks, no source map:
// two builds of the same sources are the same bytes, which `cargo xtask ui --check` relies on.
// Not Vite's mode for libraries: that leaves the spaces in, a third of the size.
export default defineConfig({
  build: {
    outDir: "../crates/webui/dist",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      input: "src/main.tsx",
      output: { entryFileNames: "app.js", assetFileNames: "app[extname]", codeSplitting: false },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { proxy: { "/api": "http://127.0.0.1:6970" } },
});
