import { view } from "./state";
import { type Props, VIEWS } from "./views";

/** The whole page: tabs and the view that is open. */
export function App(props: Props) {
  const open = VIEWS.find((one) => one.id === view.value) ?? VIEWS[0];
  if (!open) return null;
  const missing = open.missing?.(props);
  return (
    <>
      <nav aria-label="Views">
        {VIEWS.map((one) => (
          <button key={one.id} aria-current={one.id === open.id ? "page" : undefined} onClick={() => (view.value = one.id)}>
            {one.title}
          </button>
        ))}
      </nav>
      <main>{missing ? <p role="note">{missing}</p> : <open.Component {...props} />}</main>
    </>
  );
}
