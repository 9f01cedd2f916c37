// The list of tracks: find, pin, hide, fold.

import { useEffect, useRef, useState } from "preact/hooks";
import { set, setting } from "../../state";
import { fuzzy, title } from "./layout";
import { keepFolded, keepKeys, keysOf } from "./track-sets";
import type { Timeline } from "./timeline";

function flip(name: string, key: string): void {
  const keys = keysOf(name);
  if (!keys.delete(key)) keys.add(key);
  keepKeys(name, keys);
}

/** The tracks with the letters of a filter; all others are hidden with one button. */
export function Tracks({ timeline }: { timeline: Timeline }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    box.current?.querySelector("input")?.focus();
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside, true);
    return () => removeEventListener("pointerdown", outside, true);
  }, [open]);
  const { ranks } = timeline.overall.data;
  const tracks = ranks.flatMap((rank) => rank.tracks);
  const several = ranks.length > 1;
  const filter = setting("timeline.tracks");
  const [pinned, hidden] = [keysOf("pinned"), keysOf("hidden")];
  const listed = tracks.filter((track) => fuzzy(title(track, several), filter));
  const changed = hidden.size + pinned.size > 0 || filter !== "";
  return (
    <div class="menu" ref={box}>
      <button type="button" class="button" aria-expanded={open} aria-haspopup="dialog" onClick={() => setOpen(!open)}>
        Tracks{changed ? ` ${listed.filter((track) => !hidden.has(track.key)).length}/${tracks.length}` : ""}
      </button>
      {open ? (
        <div
          class="tracks"
          role="dialog"
          aria-label="Tracks"
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            setOpen(false);
          }}
        >
          <input
            type="search"
            placeholder="Filter tracks"
            aria-label="Filter tracks (fuzzy)"
            value={filter}
            onInput={(event) => set("timeline.tracks", event.currentTarget.value || null)}
          />
          <ul>
            {listed.slice(0, 200).map((track) => (
              <li key={track.key}>
                <label>
                  <input type="checkbox" checked={!hidden.has(track.key)} onChange={() => flip("hidden", track.key)} />
                  <span>{title(track, several)}</span>
                </label>
                <button type="button" class="quiet-button" aria-pressed={pinned.has(track.key)} onClick={() => flip("pinned", track.key)}>
                  {pinned.has(track.key) ? "Unpin" : "Pin"}
                </button>
              </li>
            ))}
          </ul>
          {listed.length > 200 ? <p class="quiet">{listed.length - 200} more; type to find them</p> : null}
          <footer>
            <button type="button" class="link" onClick={() => keepFolded(new Set(tracks.map((track) => track.key)), tracks)}>
              Fold all
            </button>
            <button type="button" class="link" onClick={() => keepFolded(new Set(), tracks)}>
              Unfold all
            </button>
            <button
              type="button"
              class="link"
              onClick={() => {
                keepKeys("hidden", new Set());
                keepKeys("pinned", new Set());
                set("timeline.tracks", null);
              }}
            >
              Show all
            </button>
          </footer>
        </div>
      ) : null}
    </div>
  );
}
