/** What an approval asks of the notebook, checked as a whole before anything changes. Pure: no JupyterLab types. */

import { trans } from './texts.js';

export interface IEdit {
  kind: 'replace' | 'insert' | 'move' | 'delete' | 'run';
  /** Of an insert: the id that the new cell gets, where it is free. */
  cellId?: string;
  /** The source the cell must still hold. */
  old?: string;
  source?: string;
  /** Insert or move above this cell; empty: above the failing cell. */
  before?: string;
  /** Move below all others. */
  last?: boolean;
  /** Cells to run first, in this order. */
  cellIds?: string[];
}

export interface IResult {
  ok: boolean;
  message: string;
  /** How it ended, where the kernel had not said it yet. */
  late?: Promise<IResult>;
}

export interface IRequest {
  action: 'apply';
  /** The heal and the patch, as the kernel names them. */
  heal: string;
  patch: string;
  run: boolean;
  resume: boolean;
  undo: boolean;
  edits: IEdit[];
  /** What the fix did, and what proves it: for the line that stays. */
  title?: string;
  details?: string;
  result: Promise<IResult> | null;
}

export interface ICellState {
  id: string;
  source: string;
  editable: boolean;
}

export interface IPlan extends IResult {
  /** Ids of the cells to run, in order. */
  toRun: string[];
}

const SAME = (a: string, b: string): boolean => a.replace(/\s+$/, '') === b.replace(/\s+$/, '');

/** Whether the notebook holds what the edit would make of it, so that nothing is left to do. */
function isDone(cell: ICellState | undefined, edit: IEdit): boolean {
  return edit.kind === 'delete' ? !cell : edit.kind === 'replace' && cell !== undefined && cell.source === edit.source;
}

/** Why an edit does not fit the notebook as it is; empty where it does. */
function misfit(byId: Map<string, ICellState>, edit: IEdit, undo: boolean): string {
  const cell = byId.get(edit.cellId ?? '');
  const above = !edit.before || byId.has(edit.before);
  if (edit.kind === 'insert') {
    return above ? '' : trans.__('The cell to insert above is no longer in the notebook.');
  }
  if (undo && isDone(cell, edit)) {
    return '';
  }
  if (!cell) {
    return trans.__('The cell is no longer in the notebook.');
  }
  if (!cell.editable) {
    return trans.__('The cell is read-only.');
  }
  if (edit.kind === 'move' && !above) {
    return trans.__('The cell to move it above is no longer in the notebook.');
  }
  if (edit.old !== undefined && !SAME(cell.source, edit.old)) {
    return undo
      ? trans.__('The cell was edited after the fix, so undo leaves it alone.')
      : trans.__('The cell was edited since it failed, so the fix was not put in. Run it again to heal it as it is now.');
  }
  return '';
}

/**
 * Whether every edit fits the notebook as it is, and what to run afterwards.
 *
 * An edit of a cell that is gone, read-only or was edited since is refused, and with it the whole approval; in a notebook whose
 * file cannot be written, all that would change it.
 */
export function plan(cells: ICellState[], request: IRequest, failingId: string, readOnly = false): IPlan {
  const refuse = (message: string): IPlan => ({ ok: false, message, toRun: [] });
  const byId = new Map(cells.map(cell => [cell.id, cell]));
  const changes = request.edits.filter(edit => edit.kind !== 'run');
  const toRun: string[] = [];
  if (readOnly && changes.length) {
    return refuse(trans.__('The notebook is read-only: its file may not be written, so nothing was changed.'));
  }
  for (const edit of request.edits) {
    if (edit.kind === 'run') {
      if (!(edit.cellIds ?? []).every(id => byId.has(id))) {
        return refuse(trans.__('A cell that must run first is no longer in the notebook.'));
      }
      toRun.push(...(edit.cellIds ?? []));
      continue;
    }
    const why = misfit(byId, edit, request.undo);
    if (why) {
      return refuse(why);
    }
    if ((edit.kind === 'move' || edit.kind === 'replace') && edit.cellId !== failingId && !toRun.includes(edit.cellId!)) {
      toRun.push(edit.cellId!);
    }
  }
  if (!request.undo && byId.has(failingId)) {
    toRun.push(failingId);
  }
  const runs = request.run && !request.undo;
  return { ok: true, message: describe(changes.length, request.undo, runs), toRun: runs ? toRun : [] };
}

/** What was done, in a sentence. */
function describe(changes: number, undo: boolean, runs: boolean): string {
  if (undo) {
    return trans.__('Undone.');
  }
  if (changes > 1) {
    return runs ? trans.__('%1 cells changed; running it.', changes) : trans.__('%1 cells changed.', changes);
  }
  if (changes === 1) {
    return runs ? trans.__('Cell changed; running it.') : trans.__('Cell changed.');
  }
  return runs ? trans.__('Nothing to change; running it.') : trans.__('Nothing to change.');
}

/** Whether the notebook holds all that an approval put in, so that there is something to undo. */
export function holds(cells: ICellState[], undo: IEdit[]): boolean {
  const byId = new Map(cells.map(cell => [cell.id, cell]));
  return undo.length > 0 && undo.every(edit => {
    const cell = byId.get(edit.cellId ?? '');
    return cell !== undefined && (edit.old === undefined || SAME(cell.source, edit.old));
  });
}
