/** Carries out an approval in the notebook that the widget sits in. */

import { Cell, CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import { ICellState, IRequest, IResult, plan } from './edits';
import { KernelLine } from './kernel';

/** How long the cells wait for the kernel's word that this page may change them, in milliseconds. */
const PATIENCE = 1000;

/** The panel and the cell that a DOM node of a widget sits in. */
export function whereabouts(tracker: INotebookTracker, target: Node): { panel: NotebookPanel; cell: Cell } | null {
  const panel = tracker.find(candidate => candidate.node.contains(target));
  const cell = panel?.content.widgets.find(candidate => candidate.node.contains(target));
  return panel && cell ? { panel, cell } : null;
}

/** Put the focus on a cell, so that it is not lost with the button that was pressed. */
export function focusCell(notebook: Notebook, cell: Cell): void {
  notebook.activeCellIndex = notebook.widgets.indexOf(cell);
  notebook.mode = 'command';
  notebook.activate();
}

/** The cells as they are now. */
function cellsOf(panel: NotebookPanel): ICellState[] {
  const readOnly = panel.context.contentsModel?.writable === false;
  return panel.content.widgets.map(cell => ({
    id: cell.model.id,
    source: cell.model.sharedModel.getSource(),
    editable: !readOnly && cell.model.getMetadata('editable') !== false
  }));
}

/** Change the cells, each in one step that the editor's own undo takes back; returns the ids of new ones. */
function change(notebook: Notebook, failing: Cell, request: IRequest): string[] {
  const shared = notebook.model!.sharedModel;
  const inserted: string[] = [];
  for (const edit of request.edits) {
    const at = (id?: string): number => shared.cells.findIndex(cell => cell.getId() === id);
    const before = Math.max(at(edit.before || failing.model.id), 0);
    if (edit.kind === 'replace') {
      // A transaction of the cell, not of the notebook: it is the cell's own history that Ctrl+Z goes back in.
      const cell = shared.cells[at(edit.cellId)];
      cell.transact(() => cell.setSource(edit.source ?? ''));
    } else if (edit.kind === 'insert') {
      const cell = shared.insertCell(before, { cell_type: 'code', source: edit.source ?? '', metadata: { selfheal: { inserted: true } } });
      inserted.push(cell.getId());
    } else if (edit.kind === 'move') {
      shared.moveCells(at(edit.cellId), before);
    }
  }
  return inserted;
}

function run(panel: NotebookPanel, failing: Cell, ids: string[]): void {
  const notebook = panel.content;
  const widgets = ids
    .map(id => notebook.widgets.find(cell => cell.model.id === id))
    .filter((cell): cell is CodeCell => cell instanceof CodeCell);
  if (failing.node.contains(document.activeElement)) {
    focusCell(notebook, failing);
  }
  // Not awaited: the kernel may be busy for long.
  void NotebookActions.runCells(notebook, widgets, panel.sessionContext);
}

/**
 * Carry out an approval (or its undo), if the cells are as it expects them.
 *
 * An approval is claimed first, so that of several pages one alone changes and runs cells. Where the kernel is busy and cannot
 * say yet which, the cells change at once and what must run waits for the answer.
 */
export async function apply(line: KernelLine, failing: Cell, request: IRequest): Promise<IResult> {
  const { panel } = line;
  const said = { run: request.heal, patch: request.patch, text: '' };
  const refused = plan(cellsOf(panel), request, failing.model.id);
  if (!refused.ok || request.undo) {
    if (refused.ok) {
      change(panel.content, failing, request);
      line.send({ action: 'undone', ...said });
    }
    return refused;
  }
  const claim = line.claim(request.heal, request.patch, request.resume);
  const mine = await Promise.race([claim, new Promise<null>(resolve => window.setTimeout(() => resolve(null), PATIENCE))]);
  if (mine === false) {
    return { ok: false, message: 'Not put in here: it was approved in another tab, or is no longer offered.' };
  }
  const todo = plan(cellsOf(panel), request, failing.model.id);
  if (!todo.ok) {
    return todo;
  }
  const inserted = change(panel.content, failing, request);
  line.send({ action: 'applied', ...said });
  if (request.run && mine) {
    run(panel, failing, [...inserted, ...todo.toRun]);
  } else if (request.run) {
    void claim.then(granted => granted && run(panel, failing, [...inserted, ...todo.toRun]));
  }
  return todo;
}
