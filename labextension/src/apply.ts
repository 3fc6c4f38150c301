/** Carries out an approval in the notebook that the widget sits in. */

import { Cell, CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import { ICellState, IRequest, plan } from './edits';

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

/** Change the cells, each in one step that the editor's own undo takes back, and queue what must run. */
export function apply(panel: NotebookPanel, failing: Cell, request: IRequest): { ok: boolean; message: string } {
  const notebook = panel.content;
  const readOnly = panel.context.contentsModel?.writable === false;
  const cells: ICellState[] = notebook.widgets.map(cell => ({
    id: cell.model.id,
    source: cell.model.sharedModel.getSource(),
    editable: !readOnly && cell.model.getMetadata('editable') !== false
  }));
  const todo = plan(cells, request, failing.model.id);
  if (!todo.ok) {
    return todo;
  }
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
  if (request.run && !request.undo) {
    const wanted = [...inserted, ...todo.toRun];
    const widgets = wanted
      .map(id => notebook.widgets.find(cell => cell.model.id === id))
      .filter((cell): cell is CodeCell => cell instanceof CodeCell);
    // Not awaited: the kernel may be busy for long, and awaiting inside a comm handler would deadlock.
    if (failing.node.contains(document.activeElement)) {
      focusCell(notebook, failing);
    }
    void NotebookActions.runCells(notebook, widgets, panel.sessionContext);
  }
  return { ok: true, message: todo.message };
}
