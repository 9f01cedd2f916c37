import { defineConfig } from "vite";

// One script and one style sheet with fixed names, inside the crate that carries them. No hashes, no chunks, no source map:
// two builds of the same sources are the same bytes, which `cargo xtask ui --check` relies on.
export default defineConfig({
  build: {
    outDir: "../crates/webui/dist",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: false,
    // Not as a library: of modules for others to build with, white space is kept.
    rolldownOptions: {
      input: "src/main.tsx",
      output: { entryFileNames: "app.js", assetFileNames: "app.[ext]", codeSplitting: false },
    },
  },
  define: { "process.env.NODE_ENV": '"production"' },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { proxy: { "/api": "http://127.0.0.1:6970" } },
});
