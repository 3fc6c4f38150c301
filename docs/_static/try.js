// The page "Try it here": cells that are healed by the engine itself, under Pyodide. The files are the site owner's: see docs/try.md.
"use strict";
(() => {
  const CELLS = [
    "prices = {'tea': 2.4, 'milk': 1.1}\namounts = [3, 1, 2]",
    "total = prixes['tea'] * 3\ntotal",
    "print('most: ' + max(amounts))",
    "amounts.appendd(4)\namounts",
    "prices['mlik']",
    "if len(amounts) > 3\n    print('many')",
    "def find_largest(values):\n    largest = values[0]\n    for value in values:\n        if value < largest:\n            largest = value\n    return largest",
    "assert find_largest([3, 9, 4]) == 9\nassert find_largest([1, 2]) == 2\nassert find_largest([-5, -2, -9]) == -2\nassert find_largest([7]) == 7",
  ];
  const root = document.getElementById("selfheal-try");
  const files = new URL(root.dataset.files, document.baseURI).href;
  const state = document.getElementById("try-state");
  const start = document.getElementById("try-start");
  const heal = document.getElementById("try-heal");
  const cells = document.getElementById("try-cells");
  let python = null;

  function addCell(source, number) {
    const box = document.createElement("div");
    box.className = "try-cell";
    const label = document.createElement("label");
    label.textContent = `Cell ${number}`;
    const text = document.createElement("textarea");
    text.value = source;
    text.rows = source.split("\n").length;
    text.spellcheck = false;
    text.addEventListener("input", () => { text.rows = text.value.split("\n").length; });
    label.append(text);
    const said = document.createElement("div");
    said.className = "try-said";
    box.append(label, said);
    cells.append(box);
  }

  async function fetchBytes(name) {
    const reply = await fetch(files + name);
    if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
    return reply.arrayBuffer();
  }

  async function begin() {
    start.disabled = true;
    state.textContent = "Python is loading: about ten megabytes, once.";
    try {
      const wheels = JSON.parse(new TextDecoder().decode(await fetchBytes("wheels.json")));
      const { loadPyodide } = await import(files + "pyodide.mjs");
      python = await loadPyodide({ indexURL: files });
      for (const name of wheels) python.unpackArchive(await fetchBytes(name), "wheel");
      python.runPython("import json\nfrom jupyter_selfheal.surfaces.in_browser import heal_sources");
      state.textContent = `Python ${python.runPython("import platform; platform.python_version()")} is ready.`;
      heal.disabled = false;
    } catch (error) {
      state.textContent = `Python's files are not on this site (${error.message}). Below it says how its owner puts them there.`;
      start.disabled = false;
    }
  }

  function tell(box, failure) {
    const add = (kind, text) => {
      const line = document.createElement("p");
      line.className = kind;
      line.textContent = text;
      box.append(line);
    };
    add("try-failure", failure.failure);
    add("try-cause", failure.cause);
    if (!failure.fix) add("try-left", failure.detail);
    else if (failure.applied) add("try-fix", `Healed: ${failure.fix}. Score ${failure.score} of 10. ${failure.evidence[0]}`);
    else add("try-left", `Offered, not applied: ${failure.fix}. ${failure.detail}`);
  }

  function run() {
    heal.disabled = true;
    state.textContent = "Running…";
    setTimeout(() => { // lets the browser show the line above before Python blocks the page
      const texts = [...cells.querySelectorAll("textarea")];
      try {
        python.globals.set("sources", JSON.stringify(texts.map((t) => t.value)));
        const result = JSON.parse(python.runPython("json.dumps(heal_sources(json.loads(sources)))"));
        [...cells.querySelectorAll(".try-said")].forEach((said) => said.replaceChildren());
        result.cells.forEach((source, n) => { texts[n].value = source; texts[n].rows = source.split("\n").length; });
        for (const failure of result.failures) tell(cells.children[failure.cell - 1].querySelector(".try-said"), failure);
        const healed = result.failures.filter((f) => f.applied).length;
        const open = result.failures.length - healed;
        state.textContent = `${healed} healed${open ? `, ${open} left to you` : ""}${healed + open ? "" : ": every cell runs"}.`;
      } catch (error) {
        state.textContent = `That did not work: ${error.message}`;
      }
      heal.disabled = false;
    }, 30);
  }

  CELLS.forEach((source, n) => addCell(source, n + 1));
  start.addEventListener("click", begin);
  heal.addEventListener("click", run);
})();
