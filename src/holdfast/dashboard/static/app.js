// Live updates, actions, selection and keys of every page. Pages work as plain documents without it.

const root = document.body.dataset.root;
const main = document.getElementById("main");
const typing = "input, textarea, select, [contenteditable]";

// ── Times in the reader's zone ─────────────────────────────────────────

const styles = {
  time: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  day: { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  moment: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  short: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  zoned: { year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" },
  exact: { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short" },
};

// A tick of an axis stands at a round time in UTC, which another zone may call 19:00 of the day before.
function styleOf(name, at) {
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0;
  if (name.endsWith("tick") && isMidnight) return { month: "short", day: "numeric" };
  return { tick: styles.time, day_tick: styles.short }[name] ?? styles[name];
}

// Of <time>, and inside of a drawing of <tspan data-at>.
function localise(place) {
  for (const time of place.querySelectorAll("[data-clock]")) {
    const at = new Date(time.dateTime ?? time.dataset.at);
    time.textContent = at.toLocaleString("en-GB", styleOf(time.dataset.clock, at));
  }
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const name of place.querySelectorAll("[data-zone]")) name.textContent = zone;
}

// ── Updating in place: texts and attributes change, elements stay ──────

function same(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && (old.id ?? "") === (fresh.id ?? "");
}

function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.isEqualNode(fresh)) return;
  // A closed dialog has nothing of the reader's in it: the next one to open it sees the values of now.
  if (old.hasAttribute("data-keep")) return old.matches("dialog:not([open])") ? old.replaceWith(fresh) : undefined;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !kept(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !kept(old, name)) old.setAttribute(name, value);
  }
  if (old.matches(".verdict") && !old.contains(document.activeElement)) old.replaceChildren(...fresh.childNodes); // a sentence changes as a whole
  else if (!old.matches("input, textarea, select")) morphChildren(old, fresh);
}

// What the reader has opened or chosen is not the server's to change, nor are the sizes that are held.
function kept(element, name) {
  return (name === "open" && element.matches("details, dialog")) || name === "aria-selected" || name === "style";
}

// Elements with an id stay the same elements, so that an open dialog stays open when something before it comes or goes.
function morphChildren(old, fresh) {
  const wanted = [...fresh.childNodes];
  const ids = new Set(wanted.map((node) => node.id).filter(Boolean));
  wanted.forEach((node, place) => {
    const now = old.childNodes[place];
    const known = node.id && [...old.children].find((child) => child.id === node.id);
    if (!now) old.append(node);
    else if (same(now, node)) morph(now, node);
    else if (known) {
      while (old.childNodes[place] !== known) old.childNodes[place].remove();
      morph(known, node);
    } else if (now.id && ids.has(now.id)) now.before(node);
    else now.replaceWith(node);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
}

// Nothing that is parsed here loads or runs, whatever the server sent.
function parsed(html) {
  return new DOMParser().parseFromString(html, "text/html");
}

function content(html) {
  return parsed(`<main>${html}</main>`).querySelector("main");
}

// `isAsked`: the reader did something and looks for what it changed. Otherwise nothing moves.
function show(fresh, isAsked) {
  localise(fresh);
  tighten(fresh);
  if (isAsked) release();
  else hold(fresh);
  morphChildren(main, fresh);
  if (!isAsked) main.querySelectorAll("table").forEach(fitColumns);
  countSelected();
}

async function refresh() {
  const answer = await fetch(root + address(), { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return location.reload(); // such as to the log-in
  const page = parsed(await answer.text());
  show(page.getElementById("main"), true);
  document.title = page.title;
}

// Of this page. What it chose by itself, such as the largest group, stays chosen while the page is open.
function address() {
  const query = new URLSearchParams(location.search);
  const chosen = main.querySelector("[data-chosen]")?.dataset;
  if (chosen && !query.has(chosen.chosen)) query.set(chosen.chosen, chosen.value);
  return `${location.pathname.slice(root.length)}${query.size ? "?" : ""}${query}`;
}

// ── Nothing moves while the page is read ───────────────────────────────

const news = document.getElementById("news");
const steady = ".head, .head > .buttons, .verdict, .panel, .panel > header, .panel tr, .panel li, .stats > div, .because, .flow, .flow + .panel-foot";
let latest; // what the server sent last

// What has a height keeps it, columns keep their widths, and the rows of a list their order.
function hold(fresh) {
  const heights = [...main.querySelectorAll(steady)].map((one) => [one, one.getBoundingClientRect().height]);
  for (const [one, height] of heights) {
    const isRow = one.localName === "tr" && getComputedStyle(one).display === "table-row"; // where height is the least height
    if (height) one.style[isRow ? "height" : "minHeight"] = `${height}px`;
  }
  main.querySelectorAll("table").forEach(holdColumns);
  const found = { arrived: 0, gone: 0, isMoved: false };
  for (const list of main.querySelectorAll("[data-rows]")) {
    const now = fresh.querySelector(`[data-rows="${list.dataset.rows}"]`);
    if (now) holdRows(list, now, found);
  }
  const words = [found.arrived && `${shown(found.arrived)} new`, found.gone && `${shown(found.gone)} gone`].filter(Boolean).join(", ");
  news.hidden = !words && !found.isMoved;
  news.querySelector("span").textContent = words || "Order changed";
}

const keyOf = (row) => row.dataset.key ?? row.id;

// The rows of `now` in the order of `old`. What came in between waits for the reader; what is no more says so.
function holdRows(old, now, found) {
  const fresh = new Map([...now.children].map((row) => [keyOf(row), row]));
  const keys = new Set([...old.children].map(keyOf));
  const order = [...fresh.keys()].filter((key) => keys.has(key));
  const rows = [...old.children].map((row) => fresh.get(keyOf(row)) ?? gone(row));
  const left = rows.filter((row) => !row.classList.contains("gone"));
  found.arrived += fresh.size - order.length;
  found.gone += rows.length - left.length;
  found.isMoved ||= left.some((row, place) => keyOf(row) !== order[place]);
  now.replaceChildren(...rows);
}

// Without its actions: their targets may be the ones of another row now.
function gone(row) {
  const copy = row.cloneNode(true);
  copy.classList.add("gone");
  copy.title = "No longer in this list";
  for (const button of copy.querySelectorAll("button")) button.disabled = true;
  for (const part of copy.querySelectorAll("[id]")) part.removeAttribute("id");
  return copy;
}

function holdColumns(table) {
  if (table.style.tableLayout || !table.tHead || getComputedStyle(table).display !== "table") return;
  const widths = [...table.tHead.rows[0].cells].map((cell) => [cell, cell.getBoundingClientRect().width]);
  for (const [cell, width] of widths) if (width) Object.assign(cell.style, { width: `${width}px`, maxWidth: "none" });
  table.style.tableLayout = "fixed";
}

// A figure that has become wider than its column gets the room it needs.
function fitColumns(table) {
  if (!table.style.tableLayout) return;
  if (![...table.querySelectorAll("tbody > tr > *")].some((cell) => cell.scrollWidth > cell.clientWidth + 1)) return;
  for (const one of [table, ...table.tHead.rows[0].cells]) one.removeAttribute("style");
  holdColumns(table);
}

function release() {
  for (const one of main.querySelectorAll("[style]")) one.removeAttribute("style");
  if (news) news.hidden = true; // only live pages have one
}

// Spaces between rows are no rows.
function tighten(fresh) {
  for (const list of [...main.querySelectorAll("[data-rows]"), ...fresh.querySelectorAll("[data-rows]")]) {
    for (const node of [...list.childNodes]) if (node.nodeType === Node.TEXT_NODE) node.remove();
  }
}

// ── Live ───────────────────────────────────────────────────────────────

const live = document.querySelector(".live");
const words = { live: "Live", paused: "Paused", reconnecting: "Reconnecting", offline: "Offline" };
const soonest = 5000; // ms
let source;
let pause = soonest;

function setLive(state) {
  live.dataset.state = state;
  live.querySelector("[data-live-words]").textContent = words[state];
  const button = live.querySelector("[data-live-pause]");
  const verb = state === "paused" ? "Resume" : "Pause";
  button.setAttribute("aria-label", `${verb} live updates`);
  button.title = `${verb} live updates`;
  button.querySelector("use").setAttribute("href", state === "paused" ? "#i-play" : "#i-pause");
}

function setAt(at) {
  setLive("live");
  live.querySelector("time").dateTime = at;
  localise(live);
}

function connect() {
  source?.close();
  source = new EventSource(`${root}/live?page=${encodeURIComponent(address())}`);
  source.onopen = () => {
    pause = soonest;
    setLive("live");
  };
  source.addEventListener("page", (event) => {
    const { title, at, html } = JSON.parse(event.data);
    setAt(at);
    document.title = `${title} · Holdfast`;
    latest = html;
    show(content(html), false);
  });
  // Nothing on the page has changed since.
  source.addEventListener("at", (event) => setAt(JSON.parse(event.data).at));
  source.addEventListener("gone", () => {
    source.close();
    setLive("offline");
  });
  source.onerror = () => {
    // A browser connects again by itself, unless the answer was an error: then ask again later.
    setLive("reconnecting");
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(reconnect, pause);
    pause = Math.min(2 * pause, 60000);
  };
}

// A page that its reader may not see any more is loaded again, which says why: a session may be over.
async function reconnect() {
  if (live.dataset.state !== "reconnecting") return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (answer?.redirected || (answer?.status >= 400 && answer.status < 500)) location.reload();
  else connect();
}

function togglePause() {
  if (live.dataset.state === "paused") {
    setLive("reconnecting");
    connect();
  } else {
    source?.close();
    setLive("paused");
  }
}

// ── Actions: forms that call the API ───────────────────────────────────

// JSON is sent as it was written: a number that JavaScript cannot hold would become another one.
class Written {
  constructor(text) {
    JSON.parse(text);
    this.text = text;
  }
}

function serialise(body) {
  const texts = [];
  const mark = `written ${Math.random()} `;
  const whole = JSON.stringify(body, (_, value) => (value instanceof Written ? mark + (texts.push(value.text) - 1) : value));
  return texts.reduce((done, text, place) => done.replace(`"${mark}${place}"`, () => text), whole);
}

const readers = {
  number: Number,
  json: (text) => new Written(text),
  list: (text) => text.split(/[\s,]+/).filter(Boolean),
  names: (text) => text.split(",").map((name) => name.trim()).filter(Boolean), // they may have spaces
  lines: (text) => text.split("\n").map((line) => line.trim()).filter(Boolean),
  value: (text) => {
    try {
      return new Written(text);
    } catch {
      return text;
    }
  },
  pairs: (text) => Object.fromEntries(readers.lines(text).map(pairOf)),
  boolean: (text) => text === "true" || text === "on",
};

function pairOf(line) {
  const [name, ...rest] = line.split("=");
  if (!name.trim() || !rest.length) throw new Error(`"${line}" is not NAME=VALUE`);
  return [name.trim(), rest.join("=").trim()];
}

// A name with dots is a path: settings.timeout is the member timeout of settings.
function put(body, name, value) {
  const path = name.split(".");
  const last = path.pop();
  for (const part of path) body = body[part] ??= {};
  body[last] = value;
}

// The fields that are sent. A field with data-path is a part of the address only. In a form with data-changes="settings"
// a field of settings is sent if the reader changed it, and an emptied one as null.
function bodyOf(form, submitter) {
  const body = form.dataset.changes ? { [form.dataset.changes]: {} } : {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.type === "submit" || "path" in field.dataset) continue;
    if ((field.type === "checkbox" || field.type === "radio") && !field.checked) continue;
    const isChange = form.dataset.changes && field.name.startsWith(`${form.dataset.changes}.`);
    if (isChange && field.value === field.dataset.was) continue;
    if (field.value === "" && !isChange && !field.required && !("empty" in field.dataset)) continue;
    put(body, field.name, isChange && field.value === "" ? null : valueOf(field));
  }
  if (form.dataset.selected) put(body, form.dataset.selected, selectedIds());
  if (submitter?.name) put(body, submitter.name, readers.boolean(submitter.value) || submitter.value);
  return body;
}

function valueOf(field) {
  field.removeAttribute("aria-invalid");
  const read = readers[field.dataset.as];
  try {
    return read ? read(field.value) : field.value;
  } catch (error) {
    field.setAttribute("aria-invalid", "true");
    field.focus();
    const name = field.labels?.[0]?.firstChild.textContent.trim() ?? field.name;
    throw new Error(`${name} must be ${field.dataset.as === "json" ? "JSON" : "lines of NAME=VALUE"}: ${error.message}`);
  }
}

function pathOf(form) {
  return Object.fromEntries([...form.elements].filter((field) => "path" in field.dataset).map((field) => [field.name, field.value]));
}

// A browser removes these from an address: /queues/./pause would be /queues/pause, which pauses all queues.
function checkSteps(path) {
  const isStep = (part) => /^(\.|%2e){1,2}$/i.test(part);
  if (path.split("?")[0].split("/").some(isStep)) throw new Error('A name that is "." or ".." cannot be part of an address');
}

// What is read or removed has no body: the fields are its query.
async function call(api, body) {
  const [method, path] = api.split(" ");
  checkSteps(path);
  const hasBody = method !== "GET" && method !== "DELETE";
  const query = hasBody ? "" : new URLSearchParams(body).toString();
  const answer = await fetch(`${root}/api/v1${path}${query && "?"}${query}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: hasBody ? serialise(body) : undefined,
  });
  const text = await answer.text();
  const found = text ? JSON.parse(text) : {};
  if (!answer.ok) throw new Error([found.detail ?? `The server answered ${answer.status}`, found.hint].filter(Boolean).join(" – "));
  return found;
}

async function submit(form, submitter) {
  const output = form.querySelector(".answer");
  const buttons = [...form.querySelectorAll("button")];
  say(output, "");
  try {
    const body = bodyOf(form, submitter);
    buttons.forEach((button) => { button.disabled = true; });
    const found = await call(filled(form.dataset.api, { ...body, ...pathOf(form) }, encodeURIComponent), body);
    if (submitter && "stay" in submitter.dataset) return await tell(form, submitter, found);
    form.closest("dialog")?.close();
    form.reset();
    if (form.dataset.selected) selectAll(false);
    if (form.dataset.then) {
      location.href = root + filled(form.dataset.then, found, encodeURIComponent);
      return;
    }
    toast(filled(form.dataset.done ?? "Done", found) + changed(found));
    if (form.dataset.show) reveal(document.getElementById(form.dataset.show), found);
    await refresh();
  } catch (error) {
    say(output, error.message, true);
  } finally {
    buttons.forEach((button) => { button.disabled = false; });
  }
}

// What a dry run found; one that the API only took is followed to its end.
async function tell(form, submitter, found) {
  if (form.dataset.follow) found = await ended(filled(form.dataset.follow, found, encodeURIComponent));
  for (const place of form.querySelectorAll("[data-fill]")) place.textContent = filled(place.dataset.fill, found);
  const output = form.querySelector(".answer");
  if (submitter.dataset.say) say(output, filled(submitter.dataset.say, found));
  else explain(output, found);
}

async function ended(path) {
  for (const until = Date.now() + 60000; Date.now() < until; await new Promise((done) => setTimeout(done, 300))) {
    const found = await call(`GET ${path}`, {});
    if (found.ended_at && found.state === "completed") return found;
    if (found.ended_at) throw new Error(found.problem ?? `It was ${found.state}`);
  }
  throw new Error("No answer within a minute: no server may be doing bulk actions");
}

// {name} in a text stands for a member of the answer, {one.other} for a member of a member, and {results} for how many
// jobs of the answer have which result.
function filled(text, found, encode = shown) {
  const every = { ...found, results: results(found.jobs) };
  return text.replace(/\{([\w.]+)\}/g, (_, name) => encode(name.split(".").reduce((value, part) => value?.[part], every) ?? ""));
}

function shown(value) {
  return typeof value === "number" ? value.toLocaleString("en") : String(value);
}

function results(jobs) {
  if (!Array.isArray(jobs)) return "Done";
  const counts = {};
  for (const { result } of jobs) counts[result] = (counts[result] ?? 0) + 1;
  return Object.entries(counts).map(([result, count]) => `${shown(count)} ${result.replaceAll("_", " ")}`).join(", ") || "Nothing to do";
}

// An element that shows members of the answer, such as a secret that is shown once.
function reveal(element, found) {
  for (const place of element.querySelectorAll("[data-answer]")) place.textContent = found[place.dataset.answer] ?? "";
  element.hidden = false;
  element.scrollIntoView({ block: "nearest" });
}

// What a change of settings did: timeout 60 → 120.
function changed({ changes }) {
  if (!Array.isArray(changes)) return "";
  if (!changes.length) return ": it was so already";
  return `: ${changes.map(({ setting, before, after }) => `${setting} ${plain(before)} → ${plain(after)}`).join(", ")}`;
}

function plain(value) {
  if (value === null || value === undefined || value === "") return "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// An answer that stays: a list in it is a table, the rest is lines.
function explain(output, found) {
  const list = Object.values(found).find((value) => Array.isArray(value) && typeof value[0] === "object");
  say(output, list ? " " : Object.entries(found).map(([name, value]) => `${name.replaceAll("_", " ")}: ${plain(value)}`).join("\n"));
  if (list) output.replaceChildren(tableOf(list));
}

function tableOf(list) {
  const table = document.createElement("table");
  table.className = "table";
  const names = Object.keys(list[0]);
  const head = table.createTHead().insertRow();
  for (const name of names) head.append(cell("th", name.replaceAll("_", " ")));
  const body = table.createTBody();
  for (const one of list) body.insertRow().append(...names.map((name) => cell("td", plain(one[name]))));
  return table;
}

function cell(kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  return made;
}

function say(output, text, isWrong = false) {
  if (!output) return isWrong ? toast(text, true) : undefined;
  output.textContent = text;
  output.hidden = !text;
  output.classList.toggle("bad", isWrong);
  if (isWrong) output.setAttribute("role", "alert");
  else output.removeAttribute("role");
}

function toast(text, isWrong = false) {
  const box = document.createElement("div");
  box.className = "toast";
  box.setAttribute("role", isWrong ? "alert" : "status");
  const p = document.createElement("p");
  p.textContent = text;
  const close = document.createElement("button");
  close.className = "button quiet tiny";
  close.textContent = "Dismiss";
  close.onclick = () => box.remove();
  box.append(p, close);
  document.getElementById("toasts").append(box);
  if (!isWrong) setTimeout(() => box.remove(), 8000);
}

// ── Selection ──────────────────────────────────────────────────────────

function boxes() {
  return [...main.querySelectorAll("tbody .check")];
}

function selectedIds() {
  return boxes().filter((box) => box.checked).map((box) => box.value);
}

function countSelected() {
  const count = selectedIds().length;
  for (const box of boxes()) box.closest("tr").setAttribute("aria-selected", String(box.checked));
  for (const place of document.querySelectorAll("[data-selected-count]")) place.textContent = quantity(count, place.dataset.noun);
  for (const bar of document.querySelectorAll("[data-bulk]")) bar.hidden = count === 0;
  const all = main.querySelector("[data-select-all]");
  if (all) {
    all.checked = count > 0 && count === boxes().length;
    all.indeterminate = count > 0 && count < boxes().length;
  }
}

function quantity(count, noun) {
  return noun ? `${shown(count)} ${noun}${count === 1 ? "" : "s"}` : shown(count);
}

function selectAll(checked) {
  for (const box of boxes()) box.checked = checked;
  countSelected();
}

// ── Theme, dialogs, copying ────────────────────────────────────────────

function toggleTheme() {
  const html = document.documentElement;
  const isDark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  html.dataset.theme = isDark ? "light" : "dark";
  document.cookie = `holdfast_theme=${html.dataset.theme}; path=${root || "/"}; max-age=31536000; SameSite=Strict`;
}

function open(id, given) {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return;
  const form = dialog.querySelector("form");
  if (given) fill(dialog, form, JSON.parse(given));
  for (const field of form.elements) field.dataset.was = field.value;
  dialog.showModal();
  (dialog.querySelector("[autofocus]") ?? dialog.querySelector("input, textarea, select"))?.focus();
}

// One dialog for many rows: data-set of its opener has values of its fields, and of places with their names as data-said.
function fill(dialog, form, given) {
  form.reset();
  say(form.querySelector(".answer"), "");
  for (const [name, value] of Object.entries(given)) {
    const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
    const field = form.elements.namedItem(name);
    if (field) field.value = text;
    for (const place of dialog.querySelectorAll(`[data-said="${CSS.escape(name)}"]`)) place.textContent = text;
  }
}

async function copy(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else copySelected(text);
  toast("Copied");
}

// Without TLS, and not on this machine, a browser has no clipboard for scripts.
function copySelected(text) {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

document.addEventListener("click", (event) => {
  const on = (name) => event.target.closest(`[data-${name}]`);
  if (on("theme-toggle")) toggleTheme();
  if (on("live-pause")) togglePause();
  if (on("open")) open(on("open").dataset.open, on("open").dataset.set);
  if (on("close")) on("close").closest("dialog").close();
  if (on("copy")) copy(on("copy"));
  if (on("select-none")) selectAll(false);
  if (on("news")) show(content(latest), true);
});

// What is folded takes no room, and another width has other heights.
document.addEventListener("toggle", (event) => event.target.matches("details") && release(), true);
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) release();
  width = innerWidth;
});

document.addEventListener("submit", (event) => {
  if (!event.target.dataset.api) return;
  event.preventDefault();
  submit(event.target, event.submitter);
});

// An address has no empty filters.
document.addEventListener("formdata", (event) => {
  if (event.target.method !== "get") return;
  const kept = [...event.formData].filter(([, value]) => value !== "");
  for (const name of new Set(event.formData.keys())) event.formData.delete(name);
  for (const [name, value] of kept) event.formData.append(name, value);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-select-all]")) selectAll(event.target.checked);
  else if (event.target.matches("tbody .check")) countSelected();
  if (event.target.matches("[data-go]")) event.target.form.requestSubmit();
});

// ── Keys ───────────────────────────────────────────────────────────────

let prefix = "";

function rows() {
  return [...main.querySelectorAll("tbody tr:has(.name), .groups li, .brief li, .going li")];
}

function step(by) {
  const all = rows();
  const place = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[Math.min(Math.max(place + by, 0), all.length - 1)];
  next?.querySelector("a")?.focus();
}

function press(key) {
  if (prefix === "g") {
    prefix = "";
    return document.querySelector(`[aria-keyshortcuts="g ${CSS.escape(key)}"]`)?.click();
  }
  if (key === "g") prefix = "g";
  if (key === "/") document.querySelector(".search .input")?.focus();
  if (key === "?") open("keys");
  if (key === "j") step(1);
  if (key === "k") step(-1);
  if (key === "x") document.activeElement.closest("tr")?.querySelector(".check")?.click();
}

document.addEventListener("keydown", (event) => {
  if (event.target.closest(typing) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "/") event.preventDefault();
  press(event.key);
});

localise(document);
countSelected();
if (live) connect();
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", (event) => event.persisted && live && live.dataset.state !== "paused" && connect());
