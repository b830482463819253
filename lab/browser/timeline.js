// The Inspect page's timeline: draws what `canvas_picture.py` left of the spans in a window.
//
// Zooming and panning redraw at once what is here; soon after, the server is asked for the bars that
// can be seen in that window. An ask says all that the reader changed (window, selection), so that
// the last one is enough; an answer to an older one leaves the reader where they are.

const AXIS_PX = 40, RIGHT_PX = 10, OVERVIEW_ROW_PX = 26, COUNTER_PX = 54, SPACE_PX = 8;
const ASK_AFTER_MS = 150, DRAG_PX = 4, MIN_NS = 1000, MIN_MARGIN_NS = 5000, ZOOM = 1.6;
const FONT = "11px", NAME_FONT = "12px", FAINT = "rgba(122, 132, 142, 0.25)";
const SHORTEST_CUT = 34, THINNEST = 4; // px of a cut name that still says something, and of a letter
const timelines = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const timeline = timelines.get(parentElement) ?? new Timeline(parentElement);
  timelines.set(parentElement, timeline);
  timeline.send = (ask) => setStateValue("ask", ask);
  timeline.show(data);
  // Streamlit also cleans up after a call that a newer one has overtaken: the last one ends it.
  const call = (timeline.calls += 1);
  return () => { if (call === timeline.calls) timeline.end(); };
}

class Timeline {
  constructor(root) {
    this.root = root;
    for (const name of ["canvas", "hint", "said", "keys", "table"])
      this[name] = root.querySelector(`.${name}`);
    this.pen = this.canvas.getContext("2d");
    this.asked = this.calls = 0;
    this.focus = null; // the bar that the keyboard is on
    this.drag = null; // {from, to, y, pan}: px
    const { signal } = this.listeners = new AbortController();
    const on = (event, act) => this.canvas.addEventListener(event, act, { passive: false, signal });
    on("pointerdown", (e) => this.down(e));
    on("pointermove", (e) => this.move(e));
    on("pointerup", (e) => this.up(e));
    on("pointercancel", () => { this.drag = null; this.draw(); });
    on("pointerleave", () => this.tell(null));
    on("wheel", (e) => this.wheel(e));
    on("keydown", (e) => this.key(e));
    on("focus", () => this.draw());
    on("blur", () => { this.focus = null; this.tell(null); this.draw(); });
    this.table.addEventListener("toggle", () => this.fillTable(), { signal });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.canvas);
  }

  end() {
    this.listeners.abort();
    this.observer.disconnect();
    clearTimeout(this.timer);
    timelines.delete(this.root);
  }

  show(data) {
    const focus = this.focus === null ? null : this.placeOf(this.focus);
    this.data = data;
    if (data.answered >= this.asked) { // else the reader is further already
      this.asked = data.answered;
      [this.view, this.selected] = [data.window, data.selected];
    }
    this.focus = focus && this.nearest(focus.strip, focus.at);
    this.canvas.dataset.answered = data.answered; // what tests and measurements wait for
    this.top = data.overview.rows.length * OVERVIEW_ROW_PX + SPACE_PX;
    this.bottom = this.top + data.height + data.counters.length * COUNTER_PX;
    this.canvas.style.height = `${this.bottom + AXIS_PX}px`;
    this.canvas.setAttribute("aria-label", data.words.label);
    this.keys.textContent = data.words.keys;
    this.patterns = data.styles.map((style) => patternOf(this.pen, style));
    this.fillTable();
    this.draw();
  }

  // --- Where things are -------------------------------------------------------------------------

  get width() { return this.canvas.clientWidth; }
  get plot() { return Math.max(1, this.width - this.data.left - RIGHT_PX); }
  px(ns) { return this.data.left + (ns - this.view[0]) / (this.view[1] - this.view[0]) * this.plot; }
  ns(px) { return this.view[0] + (px - this.data.left) / this.plot * (this.view[1] - this.view[0]); }
  wholePx(ns) { return this.data.left + ns / this.data.extent * this.plot; }
  wholeNs(px) { return (px - this.data.left) / this.plot * this.data.extent; }

  // Left, top, width and height of a bar: as high as it is busy.
  box(i) {
    const { bars, strips } = this.data, strip = strips[bars.strip[i]];
    const high = bars.share[i] * (strip.bottom - strip.top);
    const top = strip.gaps ? strip.top : strip.bottom - high;
    const left = Math.max(this.px(bars.x[i]), this.data.left);
    const right = Math.min(this.px(bars.x[i] + bars.w[i]), this.data.left + this.plot);
    return [left, this.top + top, right - left, high];
  }

  inView(i) {
    const { bars } = this.data;
    return bars.x[i] <= this.view[1] && bars.x[i] + bars.w[i] >= this.view[0];
  }

  // The bar under a point, or null: the uppermost, with some px to spare beside narrow ones.
  at(x, y) {
    const { bars, strips } = this.data;
    for (let i = bars.x.length - 1; i >= 0; i--) {
      const strip = strips[bars.strip[i]];
      if (y - this.top < strip.top || y - this.top >= strip.bottom) continue;
      if (this.px(bars.x[i]) - 1 <= x && x <= this.px(bars.x[i] + bars.w[i]) + 1) return i;
    }
    return null;
  }

  // --- What the reader does ---------------------------------------------------------------------

  setView(start, end) {
    const wide = Math.min(Math.max(Math.round(end - start), MIN_NS), this.data.extent);
    const first = Math.round(Math.min(Math.max(start, 0), this.data.extent - wide));
    this.view = [first, first + wide];
  }

  zoom(factor, at) {
    const [start, end] = this.view, wide = (end - start) * factor;
    const from = at - (at - start) / (end - start) * wide;
    this.goTo(from, from + wide);
  }

  pan(share) {
    const by = share * (this.view[1] - this.view[0]);
    this.goTo(this.view[0] + by, this.view[1] + by);
  }

  goTo(start, end, soon = ASK_AFTER_MS) {
    this.setView(start, end);
    this.ask(soon);
  }

  ask(soon) {
    this.asked += 1;
    clearTimeout(this.timer);
    const tell = () => this.send({
      n: this.asked, start: this.view[0], end: this.view[1], span: this.selected,
      px: Math.round(this.plot),
    });
    this.timer = setTimeout(tell, soon);
    this.draw();
  }

  // A span is selected; a bar that stands for several, or for a gap, is zoomed to.
  act(i) {
    const { bars } = this.data, margin = Math.max(bars.w[i], MIN_MARGIN_NS);
    if (bars.span[i] < 0) return this.goTo(bars.x[i] - margin, bars.x[i] + bars.w[i] + margin, 0);
    this.selected = bars.span[i];
    this.ask(0);
  }

  down(e) {
    if (e.button) return;
    this.canvas.setPointerCapture(e.pointerId);
    this.drag = { from: e.offsetX, to: e.offsetX, y: e.offsetY, pan: e.shiftKey, view: this.view };
  }

  move(e) {
    if (!this.drag) return this.tell(this.at(e.offsetX, e.offsetY), e);
    this.drag.to = e.offsetX;
    if (this.drag.pan) {
      const [start, end] = this.drag.view, by = (this.drag.from - e.offsetX) / this.plot;
      this.goTo(start + by * (end - start), end + by * (end - start));
    }
    this.draw();
  }

  up(e) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || drag.pan) return;
    const [left, right] = [drag.from, e.offsetX].sort((a, b) => a - b);
    const isAbove = drag.y < this.top, nsAt = (px) => (isAbove ? this.wholeNs(px) : this.ns(px));
    if (right - left > DRAG_PX) return this.goTo(nsAt(left), nsAt(right), 0);
    if (isAbove) { // the window moves there
      const half = (this.view[1] - this.view[0]) / 2;
      return this.goTo(nsAt(left) - half, nsAt(left) + half, 0);
    }
    const bar = this.at(e.offsetX, e.offsetY);
    if (bar === null) this.draw();
    else this.act(bar);
  }

  wheel(e) {
    const sideways = e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY);
    if (!e.ctrlKey && !e.metaKey && !sideways) return; // the page scrolls
    e.preventDefault();
    if (sideways) this.pan((e.deltaX || e.deltaY) / this.plot);
    else this.zoom(Math.exp(e.deltaY * 0.003), this.ns(e.offsetX));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const middle = (this.view[0] + this.view[1]) / 2;
    const at = this.focus === null ? middle : this.placeOf(this.focus).at;
    const acts = {
      ArrowLeft: () => (e.shiftKey ? this.pan(-0.25) : this.step(-1)),
      ArrowRight: () => (e.shiftKey ? this.pan(0.25) : this.step(1)),
      ArrowUp: () => this.stepStrip(-1), ArrowDown: () => this.stepStrip(1),
      Enter: () => this.focus !== null && this.act(this.focus),
      Escape: () => { this.selected = -1; this.ask(0); }, Home: () => this.goTo(0, this.data.extent),
      "+": () => this.zoom(1 / ZOOM, at), "-": () => this.zoom(ZOOM, at),
      w: () => this.zoom(1 / ZOOM, at), s: () => this.zoom(ZOOM, at),
      a: () => this.pan(-0.25), d: () => this.pan(0.25),
    };
    const act = acts[{ "=": "+", " ": "Enter" }[e.key] ?? e.key];
    if (!act) return;
    e.preventDefault();
    e.stopPropagation();
    act();
  }

  // The next bar of the strip that the keyboard is on, or the first of all.
  step(by) {
    const { strip } = this.data.bars;
    let i = this.focus === null ? strip.findIndex((_, i) => this.inView(i)) : this.focus + by;
    if (this.focus !== null && (strip[i] !== strip[this.focus] || !this.inView(i))) return;
    this.setFocus(i);
  }

  // The bar nearest in time on the next strip that has one.
  stepStrip(by) {
    if (this.focus === null) return this.step(0);
    const { strip, at } = this.placeOf(this.focus);
    for (let next = strip + by; next >= 0 && next < this.data.strips.length; next += by) {
      const bar = this.nearest(next, at);
      if (bar !== null) return this.setFocus(bar);
    }
  }

  // The strip of a bar, and its middle.
  placeOf(i) {
    const { strip, x, w } = this.data.bars;
    return { strip: strip[i], at: x[i] + w[i] / 2 };
  }

  // The bar of a strip that is nearest to an instant, or null.
  nearest(strip, at) {
    const { bars } = this.data;
    const away = (i) => Math.max(bars.x[i] - at, at - bars.x[i] - bars.w[i], 0);
    let best = null;
    for (let i = 0; i < bars.x.length; i++) {
      if (bars.strip[i] !== strip || !this.inView(i)) continue;
      if (best === null || away(i) < away(best)) best = i;
    }
    return best;
  }

  setFocus(i) {
    if (i < 0) return;
    this.focus = i;
    const [left, top, wide] = this.box(i);
    this.tell(i, { offsetX: left + Math.min(wide, 40), offsetY: top });
    const { bars, strips, lanes } = this.data;
    this.said.textContent = [lanes[strips[bars.strip[i]].lane].label, ...bars.told[i]].join("; ");
    this.draw();
  }

  // The hint beside a bar, or none.
  tell(i, at) {
    this.hint.hidden = i === null;
    if (i === null) return;
    const lines = this.data.bars.told[i].map((line, n) => cell(n ? "div" : "b", line));
    this.hint.replaceChildren(...lines);
    const left = Math.min(at.offsetX + 14, this.width - this.hint.offsetWidth - 4);
    this.hint.style.left = `${Math.max(0, left)}px`;
    this.hint.style.top = `${at.offsetY + 18}px`;
  }

  // --- What is shown ----------------------------------------------------------------------------

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      if (this.data && this.width) drawTimeline(this);
    });
  }

  // The same bars as rows, for those who do not see the canvas; only while it is open.
  fillTable() {
    const { words, bars, strips, lanes } = this.data;
    this.table.querySelector("summary").textContent = words.table;
    const body = this.table.querySelector("tbody");
    body.replaceChildren();
    if (!this.table.open) return;
    this.table.querySelector("div").ariaLabel = words.table;
    this.table.querySelector("thead tr").replaceChildren(
      ...words.columns.map((word) => cell("th", word, { scope: "col" })));
    body.replaceChildren(...bars.x.map((_, i) => {
      const [name, times, ...others] = bars.told[i], row = cell("tr", ""), first = cell("td", "");
      first.append(cell("button", name, { onclick: () => this.act(i) }));
      const lane = lanes[strips[bars.strip[i]].lane].label;
      row.append(first, cell("td", lane), cell("td", times), cell("td", others.join("; ")));
      if (bars.span[i] >= 0 && bars.span[i] === this.selected) row.ariaCurrent = "true";
      return row;
    }));
  }
}

// An element with a text and properties.
function cell(kind, text, more = {}) {
  return Object.assign(document.createElement(kind), { textContent: text }, more);
}
