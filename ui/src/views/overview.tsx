import type { Props, View } from ".";

function Overview({ document }: Props) {
  return <p>{document.inputs.length} inputs</p>;
}

export const overview: View = { id: "overview", title: "Overview", Component: Overview };
