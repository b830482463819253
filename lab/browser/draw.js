// How the timeline of `timeline.js` looks: one function a layer, from the lowest to the uppermost.
// `t` is the timeline: its data, its view, and where on the canvas an instant lies.

function drawTimeline(t) {
  const pen = t.pen, ratio = window.devicePixelRatio || 1;
  t.canvas.width = Math.round(t.width * ratio);
  t.canvas.height = Math.round((t.bottom + AXIS_PX) * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const theme = getComputedStyle(t.canvas);
  t.ink = theme.color;
  t.page = theme.getPropertyValue("--st-background-color") || "#fff";
  t.font = theme.fontFamily;
  drawOverview(t);
  drawAxis(t);
  drawLabels(t);
  pen.save();
  pen.beginPath();
  pen.rect(t.data.left, t.top, t.plot, t.bottom - t.top);
  pen.clip();
  drawBars(t);
  t.data.arrows.forEach((arrows) => drawArrows(t, arrows));
  if (t.data.path) drawPath(t);
  if (t.data.mark && t.selected === t.data.selected) frame(t, t.data.mark);
  t.data.counters.forEach((counter, n) => drawCounter(t, counter, n));
  if (t.focus !== null) drawFocus(t);
  pen.restore();
  if (t.drag && !t.drag.pan) drawDrag(t);
}

// The whole run: how busy each device was, the longest gaps, and a frame around the window.
function drawOverview(t) {
  const { pen, data } = t;
  data.overview.rows.forEach((row, n) => {
    const bottom = (n + 1) * OVERVIEW_ROW_PX, wide = t.plot / row.shares.length;
    text(t, row.label, data.left - 6, bottom - OVERVIEW_ROW_PX / 2, "right");
    pen.fillStyle = data.colors.busy;
    row.shares.forEach((share, i) => {
      const high = share * (OVERVIEW_ROW_PX - 4);
      pen.fillRect(data.left + i * wide, bottom - high, wide, high);
    });
  });
  pen.fillStyle = data.colors.gap;
  for (const gap of data.overview.gaps) triangle(pen, t.wholePx(gap), 7, Math.PI / 2, 7);
  const [left, right] = t.view.map((ns) => t.wholePx(ns));
  if (!data.overview.rows.length || right - left > t.plot - 1) return;
  pen.fillStyle = "rgba(122, 132, 142, 0.3)";
  pen.fillRect(left, 0, Math.max(1, right - left), t.top - SPACE_PX);
  pen.strokeStyle = t.ink;
  pen.lineWidth = 1;
  pen.strokeRect(left, 0.5, Math.max(1, right - left), t.top - SPACE_PX - 1);
}

// Round times, as many as there is room for; ms of the trace's own clock.
function drawAxis(t) {
  const { pen, data } = t, [start, end] = t.view;
  const least = (end - start) / Math.max(2, t.plot / 110), ten = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= least);
  const digits = Math.max(0, Math.ceil(6 - Math.log10(step)));
  const zero = data.origin_ms * 1e6;
  for (let at = Math.ceil((start + zero) / step) * step - zero; at <= end; at += step) {
    const x = t.px(at);
    line(pen, FAINT, 1, [x, t.top], [x, t.bottom]);
    const ms = (data.origin_ms + at / 1e6).toLocaleString("en", {
      minimumFractionDigits: Math.min(6, digits), maximumFractionDigits: Math.min(6, digits),
    });
    text(t, ms, x, t.bottom + 10, "center");
  }
  text(t, data.words.axis, data.left + t.plot / 2, t.bottom + 28, "center");
}

function drawLabels(t) {
  for (const lane of t.data.lanes)
    text(t, lane.label, t.data.left - 6, t.top + (lane.top + lane.bottom) / 2, "right");
}

function drawBars(t) {
  const { pen, data } = t, { bars } = data;
  for (let i = 0; i < bars.x.length; i++) {
    if (!t.inView(i)) continue;
    const [x, y, wide, high] = t.box(i), style = data.styles[bars.style[i]];
    // a hairline says that something is there, and stays too faint to look like a busy stretch
    pen.globalAlpha = wide < 1 ? Math.max(0.45, wide) : 1;
    pen.fillStyle = style.fill;
    pen.fillRect(x, y, Math.max(wide, 1), high);
    if (style.pattern) {
      pen.fillStyle = t.patterns[bars.style[i]];
      pen.fillRect(x, y, Math.max(wide, 1), high);
    }
    pen.globalAlpha = 1;
    if (bars.count[i] === 1 && wide >= 10) {
      pen.strokeStyle = style.outline || t.page;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    }
    if (bars.text[i].length) name(t, bars.text[i], x, y, wide, high, style.text || t.ink);
  }
}

// A name inside of its bar: the fullest that fits, or the last one cut, or none.
function name(t, texts, x, y, wide, high, color) {
  const { pen } = t, room = wide - 8;
  pen.font = `${NAME_FONT} ${t.font}`;
  let shown = texts.find((one) => pen.measureText(one).width <= room) ?? "";
  if (!shown && room >= SHORTEST_CUT) {
    const letters = [...texts.at(-1)].slice(0, room / THINNEST);
    const cut = () => `${letters.join("")}…`;
    while (letters.length && pen.measureText(cut()).width > room) letters.pop();
    shown = cut();
  }
  if (high >= 10) text(t, shown, x + wide / 2, y + high / 2, "center", color, NAME_FONT);
}

function drawArrows(t, { kind, ends }) {
  const own = kind === "selected", isLaunch = kind === "launch arrow";
  const color = own ? t.ink : t.data.colors.edge;
  for (const [x0, y0, x1, y1] of ends) {
    const from = [t.px(x0), t.top + y0], to = [t.px(x1), t.top + y1];
    t.pen.setLineDash(isLaunch ? [2, 3] : []);
    line(t.pen, color, own ? 1.6 : 1.2, from, to);
    t.pen.setLineDash([]);
    t.pen.fillStyle = color;
    triangle(t.pen, ...to, Math.atan2(to[1] - from[1], to[0] - from[0]), own ? 8 : 6);
  }
}

// The critical path: along the lower edge of the lanes, broken where it waits, as high as its share
// where segments are drawn together, with a line wherever it changes the lane.
function drawPath(t) {
  const { pen, data } = t, { path, lanes, path_px: thick } = data;
  const cased = (x, y, wide, high, isUpright = false) => { // an edge along both sides of the line
    pen.fillStyle = data.colors.pathEdge;
    if (isUpright) pen.fillRect(x - 1, y, wide + 2, high);
    else pen.fillRect(x, y - 1, wide, high + 2);
    pen.fillStyle = data.colors.path;
    pen.fillRect(x, y, wide, high);
  };
  for (const [at, y0, y1] of path.links) {
    const x = t.px(at), [from, to] = [y0, y1].sort((a, b) => a - b).map((y) => t.top + y);
    cased(x - 1, from - thick, 2, to - from, true);
  }
  path.x.forEach((start, i) => {
    const left = Math.max(t.px(start), data.left - 4), bottom = t.top + lanes[path.strip[i]].bottom;
    const right = Math.min(t.px(start + path.w[i]), data.left + t.plot + 4);
    if (right < left) return;
    const high = Math.max(1, path.share[i] * thick);
    if (path.style[i] === 0) cased(left, bottom - high, Math.max(1, right - left), high);
    else for (let x = left; x < right; x += 7) cased(x, bottom - 2, Math.min(3, right - x), 2);
  });
}

function drawCounter(t, counter, n) {
  const { pen } = t, bottom = t.top + t.data.height + (n + 1) * COUNTER_PX;
  const y = (share) => bottom - share * (COUNTER_PX - SPACE_PX), end = t.px(t.view[1]);
  pen.beginPath();
  pen.moveTo(t.px(counter.x[0]), bottom);
  counter.x.forEach((at, i) => {
    const until = i + 1 < counter.x.length ? t.px(counter.x[i + 1]) : end;
    pen.lineTo(t.px(at), y(counter.y[i]));
    pen.lineTo(until, y(counter.y[i]));
  });
  pen.lineTo(end, bottom);
  pen.fillStyle = FAINT;
  pen.fill();
  pen.strokeStyle = t.data.colors.edge;
  pen.stroke();
  text(t, counter.label, t.data.left + 4, bottom - COUNTER_PX + SPACE_PX + 7, "left");
}

function drawFocus(t) {
  const [x, y, wide, high] = t.box(t.focus);
  t.pen.setLineDash([4, 3]);
  frame(t, null, [x - 2, y - 2, Math.max(wide, 1) + 4, high + 4]);
  t.pen.setLineDash([]);
}

// A frame that is seen on any colour: the page's own colour under the ink.
function frame(t, mark, box = null) {
  const [x0, y0, x1, y1] = mark ?? [];
  const at = box ?? [t.px(x0), t.top + y0, t.px(x1) - t.px(x0), y1 - y0];
  for (const [color, wide] of [[t.page, 5], [t.ink, 2.5]]) {
    t.pen.strokeStyle = color;
    t.pen.lineWidth = wide;
    t.pen.strokeRect(...at);
  }
}

// What lies outside of the dragged box is dimmed.
function drawDrag(t) {
  const { pen, drag } = t, isAbove = drag.y < t.top;
  if (Math.abs(drag.to - drag.from) <= DRAG_PX) return;
  const [top, bottom] = isAbove ? [0, t.top] : [t.top, t.bottom];
  const [left, right] = [drag.from, drag.to].sort((a, b) => a - b);
  pen.globalAlpha = 0.6;
  pen.fillStyle = t.page;
  pen.fillRect(t.data.left, top, left - t.data.left, bottom - top);
  pen.fillRect(right, top, t.data.left + t.plot - right, bottom - top);
  pen.globalAlpha = 1;
  for (const x of [left, right]) line(pen, t.ink, 1.5, [x, top], [x, bottom]);
}

function text(t, words, x, y, align, color = t.ink, size = FONT) {
  t.pen.font = `${size} ${t.font}`;
  t.pen.textAlign = align;
  t.pen.textBaseline = "middle";
  t.pen.fillStyle = color;
  t.pen.fillText(words, x, y);
}

function line(pen, color, wide, from, to) {
  pen.strokeStyle = color;
  pen.lineWidth = wide;
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

// A filled triangle whose tip is at a point and that points in a direction.
function triangle(pen, x, y, angle, size) {
  pen.beginPath();
  pen.moveTo(x, y);
  for (const side of [-0.45, 0.45])
    pen.lineTo(x - size * Math.cos(angle + side), y - size * Math.sin(angle + side));
  pen.fill();
}

// The hatch of a style, as the legend below shows it, or null.
function patternOf(pen, { pattern, line: color, opacity, size }) {
  if (!pattern) return null;
  const tile = document.createElement("canvas"), draw = tile.getContext("2d");
  tile.width = tile.height = size;
  draw.globalAlpha = opacity;
  if ("|+".includes(pattern)) line(draw, color, 1, [0.5, 0], [0.5, size]);
  if ("-+".includes(pattern)) line(draw, color, 1, [0, 0.5], [size, 0.5]);
  for (const shift of [-size, 0, size]) {
    if (pattern === "/" || pattern === "x") line(draw, color, 1, [shift, size], [shift + size, 0]);
    if (pattern === "\\" || pattern === "x") line(draw, color, 1, [shift, 0], [shift + size, size]);
  }
  draw.fillStyle = color;
  if (pattern === ".") draw.fillRect(2, 2, 2, 2);
  return pen.createPattern(tile, "repeat");
}
