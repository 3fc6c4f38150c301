// The approve widget: draws the card that the kernel describes, and sends back what the user chose.
// Updates redraw only what changed, so that focus and typed text stay where they are.

const KEYWORDS = new Set(("False None True and as assert async await break class continue def del elif else except finally " +
  "for from global if import in is lambda match nonlocal not or pass raise return try while with yield").split(" "));
const TOKEN = /(#.*$)|("""[^]*?"""|'''[^]*?'''|[fFrRbBuU]{0,2}"(?:\\.|[^"\\])*"|[fFrRbBuU]{0,2}'(?:\\.|[^'\\])*')|(\b\d[\w.]*\b)|(\b[A-Za-z_]\w*\b)/g;

// A fixed text in the user's language, where the JupyterLab extension has told its own; what stands in code and outputs is left.
const SPOKEN = new Set(["text", "title", "aria-label", "placeholder"]);
const translated = (text) => (globalThis.jupyterSelfHealTexts || {})[text] || text;

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  const isCode = ["pre", "code", "td"].includes(tag);
  for (const [name, given] of Object.entries(attributes)) {
    const value = SPOKEN.has(name) && !isCode ? translated(given) : given;
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Text as the rules write it, with `code` in it.
function prose(tag, text, attributes = {}, ...more) {
  const parts = text.split(/`([^`\n]+)`/).map((part, n) => (n % 2 ? element("code", { text: part }) : part));
  return element(tag, attributes, element("span", {}, ...parts), ...more);
}

function coloured(line) {
  const found = document.createDocumentFragment();
  let at = 0;
  for (const match of line.matchAll(TOKEN)) {
    found.append(line.slice(at, match.index));
    const kind = match[1] ? "comment" : match[2] ? "string" : match[3] ? "number" : KEYWORDS.has(match[4]) ? "keyword" : "";
    found.append(kind ? element("span", { class: `sh-${kind}`, text: match[0] }) : match[0]);
    at = match.index + match[0].length;
  }
  found.append(line.slice(at));
  return found;
}

// Lines of a diff: the common ones by the longest common subsequence, as `difflib` would show them.
export function diffLines(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const rows = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) rows.push([" ", a[i++], j++]);
    else if (i < a.length && (j >= b.length || table[i + 1][j] >= table[i][j + 1])) rows.push(["-", a[i++]]);
    else rows.push(["+", b[j++]]);
  }
  return rows;
}

function folded(rows, context = 3) {
  const near = rows.map((_, n) => rows.slice(Math.max(0, n - context), n + context + 1).some((row) => row[0] !== " "));
  const found = [];
  rows.forEach((row, n) => {
    if (near[n]) found.push(row);
    else if (!found.length || found[found.length - 1][0] !== "…") found.push(["…", ""]);
  });
  return found;
}

function diffTable(edit) {
  const table = element("table", { class: "sh-diff", role: "table", "aria-label": `Changes in ${edit.label}` });
  for (const [sign, line] of folded(diffLines(edit.old, edit.source))) {
    const kind = { "+": "added", "-": "removed", " ": "same", "…": "folded" }[sign];
    const code = element("td", { class: "sh-code" });
    code.append(sign === "…" ? "⋯" : coloured(line));
    const spoken = { "+": "added", "-": "removed" }[sign];
    table.append(element("tr", { class: `sh-${kind}` },
      element("td", { class: "sh-sign", "aria-label": spoken, text: sign === "…" ? "" : sign }), code));
  }
  return table;
}

// A widget is drawn before it is in the page, where its events would reach nobody.
function whenConnected(root, then, tries = 120) {
  if (root.isConnected || tries === 0) then();
  else requestAnimationFrame(() => whenConnected(root, then, tries - 1));
}

// What an edit says of other cells: where the JupyterLab extension is, each of their names leads to its cell.
function labelView(edit, root) {
  const host = element("div", { class: "sh-cell-label" });
  let rest = edit.label;
  for (const { id, name } of edit.links) {
    const at = rest.indexOf(name);
    if (at < 0) continue;
    const text = name.replaceAll("`", "");
    const link = element("span", { class: "sh-cell-link", "data-cell": id, text });
    host.append(rest.slice(0, at), link);
    rest = rest.slice(at + name.length);
    const lead = (probe) => !root.dispatchEvent(new CustomEvent("jupyter-selfheal", {
      bubbles: true, cancelable: true, detail: { action: "show", cellId: id, probe },
    }));
    whenConnected(root, () => {
      if (lead(true)) link.replaceWith(element("button", { type: "button", class: "sh-cell-link", "data-cell": id, text, title: "Go to this cell", onclick: () => lead(false) }));
    });
  }
  host.append(rest.replaceAll("`", ""));
  return host;
}

// Where the JupyterLab extension is, it draws the diff in the editor's own look.
function diffView(edit, root) {
  const host = element("div", { class: "sh-edit" });
  if (edit.label) host.append(labelView(edit, root));
  const body = element("div");
  host.append(body);
  const event = new CustomEvent("jupyter-selfheal", {
    bubbles: true, cancelable: true, detail: { action: "diff", host: body, old: edit.old, source: edit.source },
  });
  whenConnected(root, () => { if (root.dispatchEvent(event)) body.append(diffTable(edit)); });
  return host;
}

// A result of several lines (a table, an array) keeps its columns: it is scrolled sideways, where other text is wrapped.
function textView(output, text) {
  if (output.output_type === "error") return element("pre", { class: "sh-error", text });
  const isAligned = output.output_type !== "stream" && text.trim().includes("\n");
  return isAligned ? element("pre", { class: "sh-aligned", tabindex: 0, text }) : element("pre", { text });
}

function outputView(outputs) {
  const host = element("div", { class: "sh-outputs" });
  for (const output of outputs) {
    const data = output.data || {};
    if (data["image/png"]) host.append(element("img", { src: `data:image/png;base64,${data["image/png"].replace(/\s/g, "")}`, alt: data["text/plain"] || "figure" }));
    else host.append(textView(output, output.text || data["text/plain"] || output.traceback_text || ""));
  }
  if (!outputs.length) host.append(element("div", { class: "sh-none", text: "no output" }));
  return host;
}

function evidence(candidate) {
  const list = element("ul", { class: "sh-reasons" });
  for (const reason of candidate.reasons) list.append(prose("li", reason));
  return element("details", {}, element("summary", { text: candidate.proven }), list,
    element("div", { class: "sh-small", text: `score ${candidate.score} of 10; ${candidate.facts}` }));
}

function outputs(candidate) {
  return element("details", { class: "sh-compare", open: candidate.new_output.length > 0 }, element("summary", { text: "Output: before and after" }),
    element("div", { class: "sh-columns" },
      element("section", { "aria-label": "Output before" }, element("h4", { text: "Before" }), outputView(candidate.old_output)),
      element("section", { "aria-label": "Output after" }, element("h4", { text: candidate.after }), outputView(candidate.new_output)),
      candidate.resume_output && element("section", { "aria-label": "Output after Resume" }, element("h4", { text: "After Resume" }), outputView(candidate.resume_output))));
}

// Why it failed: folded below a fix, open where there is none (or where the user wants to find it). Lines that begin with blanks belong to the one above.
// What the user unfolded or folded is kept by heal: JupyterLab draws the whole output anew where its text changed.
const unfolded = new Map();

function explanationView(card) {
  const open = unfolded.get(card.run) ?? card.is_lesson;
  const depth = (line) => (line.length - line.trimStart().length) / 2;
  const keep = (event) => unfolded.set(card.run, event.target.open);
  return element("details", { class: "sh-explain", open, ontoggle: keep }, element("summary", { text: "Explain" }),
    ...card.explanation.map((line) => prose("p", line.trim(), { style: `margin-left: ${1.2 * depth(line)}em` })));
}

// The views on this page (what each draws), heals whose kernel is gone, what was carried out, this page's name for itself, and where the focus was: all kept over a
// redraw of the whole output; and by heal the question that is open, with what was typed so far.
const asked = new Map();
const views = new Set();
const lost = new Set();
const carriedOut = new Set();
const token = Math.random().toString(36).slice(2);
let focusWas = { run: "", id: "" };

function render({ model, el }) {
  const root = element("section", { class: "jupyter-selfheal", role: "region", "aria-label": "Self-heal", tabindex: "-1" });
  el.append(root);
  const status = element("div", { class: "sh-status", role: "status", "aria-live": "polite" });
  const body = element("div", { class: "sh-body" });
  const controls = element("div", { class: "sh-controls", role: "group", "aria-label": "What to do" });
  const dialog = element("div", { class: "sh-dialog" });
  // What came of the button that was pressed last; it outlives the status, which the kernel renews.
  const said = element("p", { class: "sh-said", "aria-live": "polite" });
  root.append(status, body, controls, dialog, said);
  let page = 0, drawn = "", shownButtons = "";

  const candidate = () => (model.get("card").candidates || [])[page];
  // The extension's own comm is answered while a cell runs; the widget's only after it.
  // A new heal forks the kernel, and so does one whose frozen states had to go; that only its main thread can: JupyterLab answers every comm on a subshell, so there the
  // extension has that thread do it, in order with the cells; elsewhere the widget's own message gets there.
  const send = (action, text = "") => {
    // What the cell must give is written into the cell, by the extension; elsewhere the card says how.
    const expect = { action: "expect", value: text };
    if (action === "expect" && !root.dispatchEvent(new CustomEvent("jupyter-selfheal", { bubbles: true, cancelable: true, detail: expect }))) return;
    const message = { action, patch: candidate()?.id || "", text, run: model.get("card").run };
    const renews = model.get("card").expired && ["edit", "reject", "retry", "answer", "allow", "continue", "budget"].includes(action);
    const forks = renews || ["model", "agree"].includes(action) || (action === "retry" && model.get("card").phase === "closed");
    const detail = { action: "act", message, forks };
    if (root.dispatchEvent(new CustomEvent("jupyter-selfheal", { bubbles: true, cancelable: true, detail }))) model.send(message);
  };

  function ask(button) {
    const run = model.get("card").run;
    const input = element(button.multiline ? "textarea" : "input", { "aria-label": button.ask, placeholder: button.ask, rows: 8 });
    const keep = () => asked.set(run, { id: button.id, text: input.value });
    const close = () => { asked.delete(run); dialog.replaceChildren(); };
    const done = () => { send(button.id, input.value); close(); root.focus(); };
    const cancel = () => { close(); focusButton(button.id); };
    input.value = asked.get(run)?.id === button.id ? asked.get(run).text : button.initial || "";
    keep();
    input.addEventListener("input", keep);
    input.addEventListener("keydown", (event) => {
      // Typing is not for the notebook; JupyterLab's own shortcuts (the palette, save) still are.
      if (event.key === "Enter" || !(event.ctrlKey || event.metaKey)) event.stopPropagation();
      if (event.key === "Escape") cancel();
      if (event.key === "Enter" && (!button.multiline || event.ctrlKey || event.metaKey)) done();
    });
    dialog.replaceChildren(input, element("button", { type: "button", text: button.done || "OK", onclick: done }),
      element("button", { type: "button", text: "Cancel", onclick: cancel }));
    input.focus();
  }

  // The button, or what is nearest to it: the focus is never lost with a button that goes.
  const focusButton = (id) => {
    const button = controls.querySelector(`[data-id="${id}"]`) || controls.querySelector("button") || root;
    const closed = button.closest(".sh-more:not([open])");
    (closed ? closed.querySelector("summary") : button).focus();
  };

  function say(text) { said.textContent = translated(text); }

  // The notebook is changed by the JupyterLab extension, after the kernel has named this page as the one that does it; the
  // extension tells the kernel too, because running the cell takes this view away.
  async function apply(button) {
    const chosen = candidate(), undo = button.id === "undo";
    const once = `${model.get("card").run} ${chosen?.id} ${undo}`;
    if (carriedOut.has(once)) return;
    const detail = { action: "apply", heal: model.get("card").run, patch: chosen?.id || "", run: button.id !== "approve",
      resume: button.id === "resume", undo, edits: undo ? model.get("card").undo : chosen.edits,
      title: chosen?.title || "", details: [...(chosen?.reasons || []), chosen?.facts || ""].join("\n"), result: null };
    if (root.dispatchEvent(new CustomEvent("jupyter-selfheal", { bubbles: true, cancelable: true, detail })))
      return send(undo ? "undo" : "instructions", button.id);
    carriedOut.add(once);
    const tell = (result) => {
      if (!undo || !result.ok) say(result.message);
      if (result.ok) return;
      carriedOut.delete(once);
      for (const view of views) view();
    };
    const result = await detail.result;
    tell(result);
    result.late?.then((ended) => ended.ok || tell(ended));
  }

  function press(button) {
    say("");
    if (button.ask) ask(button);
    else if (["run", "approve", "resume", "undo"].includes(button.id)) apply(button);
    else if (button.id === "copy") navigator.clipboard?.writeText(candidate()?.edits?.[0]?.source || "").then(() => say("Copied."), () => say("The browser refused to copy."));
    else send(button.id, button.value || "");
  }

  function turn(step) {
    const count = model.get("card").candidates.length;
    page = (page + step + count) % count;
    send("page", String(page));
    drawn = "";
    draw();
    body.querySelector(step > 0 ? ".sh-next" : ".sh-previous")?.focus();
  }

  function drawBody(card) {
    const parts = [];
    if (card.cause && card.cause !== candidate()?.title) parts.push(prose("p", card.cause, { class: "sh-cause" }));
    if (card.advice) parts.push(prose("p", card.advice, { class: "sh-advice" }));
    const attempts = card.attempts?.length && !card.candidates?.length
      ? element("ol", { class: "sh-attempts", "aria-label": "Attempts" }, ...card.attempts.map((text) => element("li", { text }))) : null;
    if (attempts && !card.is_lesson) parts.push(attempts);
    const chosen = candidate();
    if (chosen) {
      const pager = card.candidates.length > 1 ? element("span", { class: "sh-pager" },
        element("button", { type: "button", class: "sh-previous", "aria-label": "Previous candidate", text: "‹", onclick: () => turn(-1) }),
        element("span", { text: ` ${page + 1} of ${card.candidates.length} ` }),
        element("button", { type: "button", class: "sh-next", "aria-label": "Next candidate", text: "›", onclick: () => turn(1) })) : null;
      parts.push(prose("h3", chosen.title, {}, pager));
      if (chosen.warning) parts.push(prose("p", chosen.warning, { class: "sh-warning", role: "alert" }));
      for (const edit of chosen.edits.filter((edit) => edit.kind !== "run")) parts.push(diffView(edit, root));
      for (const edit of chosen.edits.filter((edit) => edit.kind === "run")) parts.push(labelView(edit, root));
      if (chosen.risk) parts.push(prose("p", `Could go wrong: ${chosen.risk}`, { class: "sh-risk" }));
      parts.push(evidence(chosen), outputs(chosen));
    }
    if (card.question) {
      parts.push(element("fieldset", { class: "sh-question" }, prose("legend", card.question.text),
        ...card.question.answers.map((answer) => element("button", { type: "button", title: answer, text: answer.length > 60 ? `${answer.slice(0, 59)}…` : answer, onclick: () => send("answer", answer) }))));
    }
    if (card.explanation?.length) parts.push(explanationView(card));
    for (const note of card.notes || []) parts.push(prose("p", note, { class: "sh-small sh-note" }));
    if (attempts && card.is_lesson) parts.push(element("details", {}, element("summary", { text: "Details" }), attempts));
    if (card.instructions) parts.push(prose("p", card.instructions, { class: "sh-instructions", role: "note" }));
    if (card.welcome?.length) parts.push(element("aside", { class: "sh-welcome", "aria-label": "First use" }, ...card.welcome.map((line) => prose("p", line))));
    const at = body.contains(document.activeElement) ? document.activeElement : null;
    const listAlike = () => [...body.querySelectorAll(at.tagName)].filter((node) => node.textContent === at.textContent);
    const place = at ? listAlike().indexOf(at) : -1;
    body.replaceChildren(...parts);
    // what had the focus is there again, or else the card has it: a key that is pressed next must not be lost
    if (at) (listAlike()[place] || root).focus();
  }

  function buttonView(button) {
    return element("button", {
      type: "button", "data-id": button.id, class: button.primary ? "sh-primary" : "", title: button.hint, text: button.label,
      "aria-label": button.hint ? `${translated(button.label)}: ${button.hint}` : button.label, onclick: () => press(button),
    });
  }

  // What is wanted seldom, behind one button: a disclosure of buttons, which needs no keys of its own.
  function moreView(buttons) {
    const { run } = model.get("card");
    const open = controls.querySelector(".sh-more")?.open ?? unfolded.get(`${run} more`) ?? false;
    const summary = element("summary", { text: "More" });
    const close = (event) => {
      if (event.key !== "Escape" || !more.open) return;
      event.stopPropagation();
      more.open = false;
      summary.focus();
    };
    const keep = (event) => unfolded.set(`${run} more`, event.target.open);
    const more = element("details", { class: "sh-more", open, onkeydown: close, ontoggle: keep }, summary,
      element("div", { class: "sh-more-items", role: "group", "aria-label": "More" }, ...buttons.map(buttonView)));
    return more;
  }

  function drawControls(wanted) {
    const focused = controls.contains(document.activeElement) ? document.activeElement.dataset.id : "";
    const seldom = wanted.filter((button) => button.more);
    controls.replaceChildren(...wanted.filter((button) => !button.more).map(buttonView), ...(seldom.length ? [moreView(seldom)] : []));
    if (focused) focusButton(focused);
  }

  // The kernel is gone, and with it all that a button could do: the text stays.
  function lose() {
    lost.add(model.get("card").run);
    draw();
  }

  // Undo is for the notebook that the fix was put into: not for a second tab on it, which still has the old source.
  function isHere(card) {
    if (!card.undo?.length || carriedOut.has(`${card.run} ${candidate()?.id} false`)) return true;
    const detail = { action: "here", undo: card.undo, here: true };
    root.dispatchEvent(new CustomEvent("jupyter-selfheal", { bubbles: true, cancelable: true, detail }));
    return detail.here;
  }

  const connected = () => !el.closest(".jupyter-widgets-disconnected");

  // Several views may show one heal (two tabs): the kernel names the one that applies a safe fix by itself.
  function applyUnasked(card) {
    if (card.phase !== "proposed" || !card.auto) return;
    if (!root.isConnected) whenConnected(root, () => root.isConnected && applyUnasked(model.get("card")));
    else if (card.auto === "ask") send("auto", token);
    else if (card.auto === token && !carriedOut.has(`auto ${card.run}`)) {
      carriedOut.add(`auto ${card.run}`);
      const run = card.buttons.find((button) => button.id === card.how);
      if (run) press(run);
    }
  }

  function draw() {
    const card = model.get("card");
    const live = connected() && !lost.has(card.run);
    if (card.phase === "applied" && !root.isConnected) whenConnected(root, () => root.isConnected && draw());
    const here = card.phase !== "applied" || isHere(card);
    root.dataset.phase = live ? card.phase : "lost";
    page = Math.min(page, Math.max((card.candidates || []).length - 1, 0));
    const itsKernel = (card.candidates || []).length ? "the kernel this was proven in" : "its kernel";
    status.textContent = !live ? `${card.status} (${itsKernel} is gone: run the cell again)`
      : here ? card.status : `${card.status} in another tab. Save it there, then reload this notebook from disk (File menu).`;
    const { buttons, status: _status, seconds: _seconds, ...rest } = card;
    const now = JSON.stringify(rest) + page;
    if (now !== drawn) { drawn = now; drawBody(card); }
    const wanted = live ? buttons.filter((button) => here || button.id !== "undo") : [];
    const nowButtons = JSON.stringify(wanted);
    if (nowButtons !== shownButtons) { shownButtons = nowButtons; drawControls(wanted); }
    for (const answer of body.querySelectorAll(".sh-question button")) answer.disabled = !live;
    if (!live) dialog.replaceChildren();
    else applyUnasked(card);
  }

  // At the window, on the way down: Notebook 7 takes its shortcuts at the document before a card hears of them, and Alt+Enter is one.
  const approveByKeys = (event) => {
    if (!event.altKey || event.key !== "Enter" || !root.contains(event.target) || event.target.closest("input, textarea")) return;
    const primary = (model.get("card").buttons || []).find((button) => button.primary);
    if (primary && root.dataset.phase !== "lost") { event.preventDefault(); event.stopPropagation(); press(primary); }
  };
  window.addEventListener("keydown", approveByKeys, true);
  root.addEventListener("focusin", (event) => {
    focusWas = { run: model.get("card").run, id: event.target.dataset?.id || "" };
  });
  root.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !root.contains(event.relatedTarget)) focusWas = { run: "", id: "" };
  });
  root.addEventListener("jupyter-selfheal-lost", lose);
  const watcher = new MutationObserver(draw);
  watcher.observe(el, { attributes: true, attributeFilter: ["class"] });
  model.on("change:card", draw);
  views.add(draw);
  draw();
  // JupyterLab draws an output anew where its text changed: the focus goes over to the new view, and a question that is open.
  whenConnected(root, () => {
    const { run, buttons } = model.get("card");
    if (focusWas.run !== run || document.activeElement !== document.body) return;
    const open = asked.has(run) && root.dataset.phase !== "lost" && (buttons || []).find((button) => button.id === asked.get(run).id);
    if (open) ask(open);
    else focusButton(focusWas.id);
  });
  return () => {
    watcher.disconnect();
    window.removeEventListener("keydown", approveByKeys, true);
    views.delete(draw);
    model.off("change:card", draw);
  };
}

export default { render };
