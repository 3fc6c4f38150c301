/** What an approval asks of the notebook, checked as a whole before anything changes. Pure: no JupyterLab types. */

export interface IEdit {
  kind: 'replace' | 'insert' | 'move' | 'run';
  cellId?: string;
  /** The source the cell must still hold. */
  old?: string;
  source?: string;
  /** Insert or move above this cell; empty: above the failing cell. */
  before?: string;
  /** Cells to run first, in this order. */
  cellIds?: string[];
}

export interface IResult {
  ok: boolean;
  message: string;
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

/**
 * Whether every edit fits the notebook as it is, and what to run afterwards.
 *
 * An edit of a cell that is gone, read-only or was edited since is refused, and with it the whole approval.
 */
export function plan(cells: ICellState[], request: IRequest, failingId: string): IPlan {
  const refuse = (message: string): IPlan => ({ ok: false, message, toRun: [] });
  const byId = new Map(cells.map(cell => [cell.id, cell]));
  const toRun: string[] = [];
  for (const edit of request.edits) {
    if (edit.kind === 'run') {
      for (const id of edit.cellIds ?? []) {
        if (!byId.has(id)) {
          return refuse('A cell that must run first is no longer in the notebook.');
        }
        toRun.push(id);
      }
      continue;
    }
    if (edit.kind === 'insert') {
      if (edit.before && !byId.has(edit.before)) {
        return refuse('The cell to insert above is no longer in the notebook.');
      }
      continue;
    }
    const cell = byId.get(edit.cellId ?? '');
    if (!cell) {
      return refuse('The cell is no longer in the notebook.');
    }
    if (!cell.editable) {
      return refuse('The cell is read-only.');
    }
    if (edit.old !== undefined && !SAME(cell.source, edit.old)) {
      return refuse(
        request.undo
          ? 'The cell was edited after the fix, so undo leaves it alone.'
          : 'The cell was edited since it failed, so the fix was not put in. Run it again to heal it as it is now.'
      );
    }
    if (edit.kind === 'replace' && edit.cellId !== failingId && !toRun.includes(cell.id)) {
      toRun.push(cell.id);
    }
    if (edit.kind === 'move') {
      toRun.push(cell.id);
    }
  }
  if (!request.undo && byId.has(failingId)) {
    toRun.push(failingId);
  }
  const changed = request.edits.filter(edit => edit.kind !== 'run').length;
  const what = request.undo ? 'Undone' : changed > 1 ? `${changed} cells changed` : changed ? 'Cell changed' : 'Nothing to change';
  return { ok: true, message: request.run && !request.undo ? `${what}; running it.` : `${what}.`, toRun: request.run && !request.undo ? toRun : [] };
}
