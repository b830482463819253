// Saves a picture of the page as a file, as it is seen: Plotly's by its own button, the canvas by
// its own pixels. Both get the page's background, for their text has the colour that is read on it.

export default function ({ data, parentElement }) {
  const save = (kind) => {
    const place = document.querySelector(`.st-key-${data.picture.replace(/[^\w-]/g, "-")}`);
    const plot = place?.querySelector(".js-plotly-plot"), canvas = place && canvasIn(place);
    const paper = getComputedStyle(parentElement.host ?? parentElement)
      .getPropertyValue("--st-background-color") || "#fff";
    if (plot) savePlot(plot, kind, data.name, paper);
    else if (canvas) saveCanvas(canvas, data.name, paper);
  };
  const saver = parentElement.querySelector(".saver"), wanted = data.labels.join("\n");
  if (saver.dataset.shown !== wanted) { // a button that is being pressed must not be exchanged
    saver.dataset.shown = wanted;
    saver.replaceChildren(...data.labels.map((textContent) =>
      Object.assign(document.createElement("button"), { type: "button", textContent })));
  }
  [...saver.children].forEach((button, n) => { button.onclick = () => save(data.kinds[n]); });
}

// Plotly copies options and layout when its button is pressed: what is set here is put back.
function savePlot(plot, format, filename, paper) {
  const { layout, _context: context } = plot;
  const before = [context.toImageButtonOptions, layout.paper_bgcolor];
  context.toImageButtonOptions = { format, filename, scale: format === "png" ? 2 : 1 };
  layout.paper_bgcolor = paper;
  plot.querySelector("button.modebar-btn").click();
  [context.toImageButtonOptions, layout.paper_bgcolor] = before;
}

function saveCanvas(canvas, name, paper) {
  const copy = document.createElement("canvas"), pen = copy.getContext("2d");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  pen.fillStyle = paper;
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => {
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(blob), download: `${name}.png`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

// The canvas of a component, which may lie in a tree of its own.
function canvasIn(place) {
  const found = place.querySelector("canvas.canvas");
  if (found) return found;
  for (const element of place.querySelectorAll("*")) {
    const inside = element.shadowRoot?.querySelector("canvas.canvas");
    if (inside) return inside;
  }
  return null;
}
