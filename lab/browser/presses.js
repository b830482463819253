// Catches what is pressed on a page, by key or on the button that shows the key, and tells the
// server all of it in its order.
//
// Each press has a number, and is told again, in a while or with those that follow it, until the
// server has answered with that number: whatever is lost, it gets every press once.
//
// There is one such component on a page. What it knows is kept here and not for each element:
// Streamlit also cleans up after calls of the function below that a newer one has overtaken.

// What keeps keys for itself: all of them, the arrows, or Enter and the space bar.
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [readonly]), textarea, select";
const MOVED_IN = "input, [role=radiogroup], [role=listbox]";
const PRESSED = "button, a, summary, input";

const AGAIN_MS = 1000;

let page = null; // {data, element, send}: the page's last word
let last = 0; // the number of the last press
let waiting = []; // [number, name] of those that the server has not taken
let again = null; // the timer for telling these once more

export default function ({ data, parentElement, setStateValue }) {
  if (data.session !== page?.data.session) [last, waiting] = [data.taken, []];
  waiting = waiting.filter(([number]) => number > data.taken);
  page = { data, element: parentElement, send: (told) => setStateValue("told", told) };
}

// On the window, before the page's own listeners hear of it.
addEventListener("keydown", onKey, true);
addEventListener("click", onClick, true);

function onKey(e) {
  if (!page?.element.isConnected || e.ctrlKey || e.metaKey || e.altKey) return;
  const target = e.composedPath()[0], isIn = (kinds) => target.closest(kinds);
  if (!target.closest || target.isContentEditable || isIn(TYPED_INTO)) return;
  if (e.key.startsWith("Arrow") && isIn(MOVED_IN)) return;
  if ([" ", "Enter"].includes(e.key) && isIn(PRESSED)) return;
  const key = e.key.toLowerCase(), shifted = e.shiftKey && key.length > 1;
  const name = page.data.keys[shifted ? `shift+${key}` : key];
  if (!name) return;
  hold(e);
  if (!e.repeat || page.data.repeatable.includes(name)) tell(name);
}

function onClick(e) {
  if (!page?.element.isConnected || !e.target.closest) return;
  const isIn = (name) => e.target.closest(`.st-key-${name} button`);
  const name = Object.values(page.data.keys).find(isIn);
  if (!name) return;
  hold(e);
  tell(name);
}

// Nobody else hears of it.
function hold(e) {
  e.preventDefault();
  e.stopImmediatePropagation();
}

function tell(name) {
  last += 1;
  waiting.push([last, name]);
  send();
}

// What is told just after the page was drawn may get lost, so it is told again, ever more rarely:
// each time makes the server begin anew.
function send(pause_ms = AGAIN_MS) {
  if (page.element.isConnected) {
    page.send({ session: page.data.session, presses: [...waiting] });
  }
  clearTimeout(again);
  again = setTimeout(() => waiting.length && send(2 * pause_ms), pause_ms);
}
