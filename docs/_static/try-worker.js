// Python for the page "Try it here", in a worker, so that the page stays alive and a cell that does not end can be stopped.
let python = null;

async function fetchBytes(address) {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`${address.split("/").pop()}: ${reply.status}`);
  return reply.arrayBuffer();
}

async function begin(files) {
  const wheels = JSON.parse(new TextDecoder().decode(await fetchBytes(files + "wheels.json")));
  const { loadPyodide } = await import(files + "pyodide.mjs");
  python = await loadPyodide({ indexURL: files });
  for (const name of wheels) python.unpackArchive(await fetchBytes(files + name), "wheel");
  python.runPython("import json\nfrom jupyter_selfheal.surfaces.in_browser import heal_sources");
  postMessage({ kind: "ready", version: python.runPython("import platform; platform.python_version()") });
}

async function heal(sources) {
  // libraries that the site's owner put beside Python (pandas, say); what is not there fails to import, and the cell says so
  await python.loadPackagesFromImports(sources.join("\n"), { messageCallback() {}, errorCallback() {} }).catch(() => {});
  python.globals.set("sources", JSON.stringify(sources));
  python.globals.set("tell", (text) => postMessage({ kind: "failure", failure: JSON.parse(text) }));
  const result = python.runPython("json.dumps(heal_sources(json.loads(sources), lambda failure: tell(json.dumps(failure))))");
  postMessage({ kind: "healed", result: JSON.parse(result) });
}

onmessage = ({ data }) => {
  const done = data.kind === "start" ? begin(data.files) : heal(data.sources);
  done.catch((error) => postMessage({ kind: "error", text: String(error.message).trim().split("\n").pop() }));
};
