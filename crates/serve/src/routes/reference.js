// Lists what openapi.json describes. Texts are text nodes, whatever they hold.
const place = document.getElementById("app");
const make = (name, text, ...children) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};
const query = new URLSearchParams(location.search).get("token");
const described = await fetch("/api/v1/openapi.json", query ? { headers: { authorization: `Bearer ${query}` } } : {});
const api = await described.json();
const list = make("dl");
list.style.cssText = "font: 14px/1.5 system-ui; max-width: 70rem";
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (!operation.responses) continue;
    const code = make("code", `${method.toUpperCase()} ${path}`);
    list.append(make("dt", "", code));
    const words = [operation.summary, operation.description].filter(Boolean).join(" ");
    const parameters = (operation.parameters ?? []).map((one) =>
      make("li", "", make("code", one.name), ` ${one.description ?? ""}${one.required ? "" : " (optional)"}`),
    );
    const about = make("dd", words);
    if (parameters.length) about.append(make("ul", "", ...parameters));
    list.append(about);
  }
}
const main = make("main", "", make("h1", `${api.info.title} ${api.info.version}`), make("p", api.info.description));
main.style.cssText = "font: 14px/1.5 system-ui; padding: 1rem 2rem";
main.append(list);
place.replaceChildren(main);
