// Builds the page as it is now into a folder of its own, so that tests never see an older one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";

export default async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "eaves-page-"));
  process.env.EAVES_PAGE = folder;
  await build({ logLevel: "warn", build: { outDir: folder, emptyOutDir: true } });
  return () => rmSync(folder, { recursive: true, force: true });
}
