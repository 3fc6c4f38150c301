/** Carries out an approval in the notebook that the widget sits in. */

import { Cell, CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, Notebook, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import { holds, ICellState, IEdit, IPlan, IRequest, IResult, plan } from './edits';
import { canUndo, hideHealed, showHealed, tellUndone } from './healedLine';
import { KernelLine } from './kernel';
import { trans } from './texts';
import { noteOutputs, restoreOutputs } from './undoneOutputs';

/** How long the cells wait for the kernel's word that this page may change them, in milliseconds. */
const PATIENCE = 1000;

export const elsewhere = (): string => trans.__('Not put in here: it was approved in another tab, or is no longer offered.');

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
  // The cell itself: the notebook would leave the focus on a button inside of it, which may go.
  cell.node.focus({ preventScroll: true });
  notebook.activate();
}

/** The cells as they are now. */
export function cellsOf(panel: NotebookPanel): ICellState[] {
  return panel.content.widgets.map(cell => ({
    id: cell.model.id,
    source: cell.model.sharedModel.getSource(),
    editable: cell.model.getMetadata('editable') !== false
  }));
}

const planFor = (panel: NotebookPanel, request: IRequest, failing: string): IPlan =>
  plan(cellsOf(panel), request, failing, panel.context.contentsModel?.writable === false);

/** Change the cells, each in one step that the editor's own undo takes back. Returns what takes all of it back, last first. */
export function change(notebook: Notebook, failing: string, edits: IEdit[]): IEdit[] {
  const shared = notebook.model!.sharedModel;
  const at = (id?: string): number => shared.cells.findIndex(cell => cell.getId() === id);
  const inverse: IEdit[] = [];
  for (const edit of edits) {
    const before = edit.last ? shared.cells.length : Math.max(at(edit.before || failing), 0);
    const index = at(edit.cellId);
    const source = edit.source ?? '';
    if (edit.kind === 'replace') {
      // A transaction of the cell, not of the notebook: it is the cell's own history that Ctrl+Z goes back in.
      const cell = shared.cells[index];
      inverse.unshift({ kind: 'replace', cellId: edit.cellId, old: source, source: cell.getSource() });
      cell.transact(() => cell.setSource(source));
    } else if (edit.kind === 'insert') {
      const id = edit.cellId && index < 0 ? { id: edit.cellId } : {};
      const cell = shared.insertCell(before, { cell_type: 'code', source, metadata: { selfheal: { inserted: true } }, ...id });
      inverse.unshift({ kind: 'delete', cellId: cell.getId(), old: source });
    } else if (edit.kind === 'move') {
      const next = shared.cells[index + 1]?.getId();
      inverse.unshift({ kind: 'move', cellId: edit.cellId, before: next, last: next === undefined });
      // The cell is taken out first: below its place everything moves up by one.
      shared.moveCells(index, before > index ? before - 1 : before);
    } else if (edit.kind === 'delete' && index >= 0) {
      shared.deleteCell(index);
    }
  }
  return inverse;
}

function run(panel: NotebookPanel, failing: Cell, ids: string[], focused: boolean): void {
  const notebook = panel.content;
  const widgets = ids
    .map(id => notebook.widgets.find(cell => cell.model.id === id))
    .filter((cell): cell is CodeCell => cell instanceof CodeCell);
  const at = document.activeElement;
  if (focused && (at === null || at === document.body || failing.node.contains(at))) {
    focusCell(notebook, failing);
  }
  // Not awaited: the kernel may be busy for long.
  void NotebookActions.runCells(notebook, widgets, panel.sessionContext);
}

/** Whether the notebook of this page holds what was approved, be it by this page or read from the file. */
export function isHere(panel: NotebookPanel, undo: IEdit[]): boolean {
  return holds(cellsOf(panel), undo);
}

/** Take an approval back where the user asked for that, if the cells are as the approval left them; what they showed comes back too. */
export function takeBack(line: KernelLine, failing: Cell, request: IRequest): IResult {
  const todo = planFor(line.panel, request, failing.model.id);
  if (todo.ok) {
    change(line.panel.content, failing.model.id, request.edits);
    line.showAgain(restoreOutputs(line.panel, request.heal));
    tellUndone(failing);
    line.healed.recordUndone(request.heal);
    line.send({ action: 'undone', run: request.heal, patch: request.patch, text: '' });
  }
  return todo;
}

/** Put the line below a healed cell, with its Undo. Where the editor's own undo brings the old source back, the line says so, too. */
export function showLine(line: KernelLine, cell: CodeCell, toUndo: IRequest, title: string, details: string): void {
  const row = showHealed(cell, { title, details, undo: () => takeBack(line, cell, toUndo) });
  if (toUndo.edits.some(edit => edit.kind !== 'replace')) {
    return; // a cell that came or moved is not taken back by the undo of another one's source
  }
  const sources = new Map(toUndo.edits.map(edit => [edit.cellId, edit.source]));
  const cells = line.panel.content.widgets.map(({ model }) => model.sharedModel).filter(shared => sources.has(shared.getId()));
  const heed = (): void => {
    if (!canUndo(row)) {
      cells.forEach(shared => shared.changed.disconnect(heed));
    } else if (cells.every(shared => shared.getSource() === sources.get(shared.getId()))) {
      // Once the editor is done: what it can redo would be lost with a change in the midst of its own.
      window.setTimeout(() => canUndo(row) && takeBack(line, cell, { ...toUndo, edits: [] }));
    }
  };
  cells.forEach(shared => shared.changed.connect(heed));
}

/** Once the fixed cell has run, a line below it says what was changed; it stays until the cell is run again. */
function keepLine(line: KernelLine, failing: Cell, request: IRequest, inverse: IEdit[]): void {
  if (!(failing instanceof CodeCell)) {
    return;
  }
  const toUndo = { ...request, edits: inverse, run: false, resume: false, undo: true };
  let runs = 0;
  const scheduled = (_: unknown, args: { cell: Cell }): void => {
    if (args.cell === failing && ++runs > 1) {
      hideHealed(failing);
      NotebookActions.executionScheduled.disconnect(scheduled);
    }
  };
  const executed = (_: unknown, args: { cell: Cell; success: boolean }): void => {
    if (args.cell !== failing) {
      return;
    }
    NotebookActions.executed.disconnect(executed);
    if (args.success && runs === 1) {
      showLine(line, failing, toUndo, request.title ?? '', request.details ?? '');
    }
  };
  NotebookActions.executionScheduled.connect(scheduled);
  NotebookActions.executed.connect(executed);
}

/** Wait for an answer, but not for longer than a person would; null where it has not come by then. */
const soon = <T>(answer: Promise<T>): Promise<T | null> =>
  Promise.race([answer, new Promise<null>(resolve => window.setTimeout(() => resolve(null), PATIENCE))]);

/**
 * Carry out an approval (or its undo), if the cells are as it expects them.
 *
 * An approval is claimed first, so that of several pages one alone changes cells; and runs nothing before the kernel has taken
 * down that it was this page. One that comes too late (it was held up, and another page took over) takes its change back.
 * Where the kernel is busy and cannot say yet, the cells change at once, and what must run waits for its word.
 */
export async function apply(line: KernelLine, failing: Cell, request: IRequest): Promise<IResult> {
  if (request.undo) {
    return takeBack(line, failing, request);
  }
  const { panel } = line;
  const id = failing.model.id;
  // Asked now: the card is drawn anew meanwhile, and the focus is nowhere for a moment.
  const focused = failing.node.contains(document.activeElement);
  const refused = planFor(panel, request, id);
  if (!refused.ok) {
    return refused;
  }
  if ((await line.claim(request.heal, request.patch, PATIENCE)) === false) {
    return { ok: false, message: elsewhere() };
  }
  const todo = planFor(panel, request, id);
  if (!todo.ok) {
    return todo;
  }
  noteOutputs(panel, request.heal, [id, ...todo.toRun]);
  const inverse = change(panel.content, id, request.edits);
  const inserted = inverse.filter(edit => edit.kind === 'delete').map(edit => edit.cellId!).reverse();
  const ended = line.applied(request.heal, request.patch, request.resume, inverse).then(granted => {
    if (granted) {
      line.send({ action: 'history' });
    }
    if (granted && request.run) {
      keepLine(line, failing, request, inverse);
      run(panel, failing, [...inserted, ...todo.toRun], focused);
    } else if (granted === false) {
      change(panel.content, id, inverse);
    }
    return granted === false ? { ok: false, message: elsewhere() } : todo;
  });
  return (await soon(ended)) ?? { ...todo, late: ended };
}
