// The page "Try it here": cells that are healed by the engine itself, under Pyodide. The files are the site owner's: see docs/try.md.
"use strict";
(() => {
  const root = document.getElementById("selfheal-try");
  const here = new URL(root.dataset.scripts, document.baseURI).href;
  const files = new URL(root.dataset.files, document.baseURI).href;
  const [state, start, heal, stop, add, choice, cells] = ["state", "start", "heal", "stop", "add", "example", "cells"].map(
    (name) => document.getElementById("try-" + name),
  );
  let examples = [];
  let worker = null;
  let begun = 0;

  const make = (tag, kind, text = "") => {
    const made = document.createElement(tag);
    made.className = kind;
    made.textContent = text;
    return made;
  };
  const fit = (text) => { text.rows = text.value.split("\n").length; };
  const texts = () => [...cells.querySelectorAll("textarea")];

  function addCell(source = "") {
    const box = make("div", "try-cell");
    const label = make("label", "", `Cell ${cells.children.length + 1}`);
    const text = document.createElement("textarea");
    text.value = source;
    text.spellcheck = false;
    text.addEventListener("input", () => { fit(text); box.querySelector("output").textContent = ""; });
    text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.shiftKey || event.ctrlKey)) { event.preventDefault(); heal.click(); }
    });
    fit(text);
    label.append(text);
    const said = make("div", "try-said");
    said.setAttribute("aria-live", "polite");
    box.append(label, said, document.createElement("output"));
    cells.append(box);
    return text;
  }

  function show(sources) {
    cells.replaceChildren();
    sources.forEach((source) => addCell(source));
  }

  function begin() {
    start.hidden = true;
    stop.hidden = false;
    begun = performance.now();
    state.textContent = "Python is loading: about ten megabytes, once.";
    worker = new Worker(here + "try-worker.js", { type: "module" });
    worker.onmessage = ({ data }) => take[data.kind](data);
    worker.onerror = () => take.error({ text: "Python's worker did not start" });
    worker.postMessage({ kind: "start", files });
  }

  function end(words) {
    worker?.terminate();
    worker = null;
    heal.disabled = stop.hidden = true;
    start.hidden = false;
    state.textContent = words;
  }

  const take = {
    ready({ version }) {
      state.textContent = `Python ${version} is ready after ${((performance.now() - begun) / 1000).toFixed(1)} s.`;
      heal.disabled = false;
      stop.hidden = true;
    },
    failure({ failure }) {
      tell(failure);
      state.textContent = failure.applied ? `Cell ${failure.cell} is healed; going on…` : `Cell ${failure.cell} is left to you.`;
    },
    healed({ result }) {
      // only what is there now is redrawn: an inserted cell moves those below it
      while (cells.children.length < result.cells.length) addCell();
      texts().forEach((text, n) => {
        text.value = result.cells[n] ?? text.value;
        fit(text);
        text.closest(".try-cell").querySelector("output").textContent = result.outputs[n] ?? "";
      });
      const healed = result.failures.filter((f) => f.applied).length;
      const open = result.failures.length - healed;
      const took = ((performance.now() - begun) / 1000).toFixed(1);
      state.textContent = healed + open ? `${healed} healed${open ? `, ${open} left to you` : ", and every cell runs"}, in ${took} s.` : "0 healed: every cell runs.";
      heal.disabled = false;
      stop.hidden = true;
    },
    error({ text }) {
      if (heal.dataset.ready) return end(`That did not work: ${text}`);
      return end(`Python's files are not on this site (${text}). Below it says how its owner puts them there.`);
    },
  };

  function drawChange({ cell, old, new: source }) {
    const diff = make("pre", "try-diff");
    const before = old ? old.split("\n") : [];
    const after = source.split("\n");
    diff.append(make("span", "try-where", `cell ${cell}\n`));
    before.filter((line) => !after.includes(line)).forEach((line) => diff.append(make("del", "", `- ${line}\n`)));
    after.filter((line) => !before.includes(line)).forEach((line) => diff.append(make("ins", "", `+ ${line}\n`)));
    return diff;
  }

  function tell(failure) {
    const said = cells.children[failure.cell - 1].querySelector(".try-said");
    const say = (kind, text) => said.append(make("p", kind, text.replaceAll("`", "")));
    say("try-failure", failure.failure);
    say("try-cause", failure.cause);
    if (!failure.fix) return say("try-left", failure.detail);
    failure.changes.forEach((change) => said.append(drawChange(change)));
    if (failure.applied) return say("try-fix", `Healed: ${failure.fix}. Score ${failure.score} of 10. ${failure.evidence[0]}`);
    say("try-left", `Offered, not applied: ${failure.fix}. ${failure.detail.replace(/^not applied: i/, "I")}.`);
    const use = make("button", "btn btn-sm btn-outline-primary", "Put it in");
    use.type = "button";
    use.addEventListener("click", () => {
      failure.changes.forEach(({ cell, new: source }) => { const text = texts()[cell - 1] ?? addCell(); text.value = source; fit(text); });
      use.remove();
    });
    return said.append(use);
  }

  start.addEventListener("click", begin);
  stop.addEventListener("click", () => end("Stopped. Start Python again to go on."));
  add.addEventListener("click", () => addCell().focus());
  choice.addEventListener("change", () => show(examples[choice.selectedIndex].cells));
  heal.addEventListener("click", () => {
    if (heal.disabled) return;
    heal.disabled = true;
    heal.dataset.ready = "yes";
    stop.hidden = false;
    cells.querySelectorAll(".try-said, output").forEach((said) => said.replaceChildren());
    state.textContent = "Running the cells from the top…";
    begun = performance.now();
    worker.postMessage({ kind: "heal", sources: texts().map((text) => text.value) });
  });
  fetch(here + "try-examples.json").then((reply) => reply.json()).then((found) => {
    examples = found;
    found.forEach(({ name }) => choice.add(new Option(name)));
    show(found[0].cells);
  });
})();
