/** Heal the whole notebook: run its cells in order, wait at each failure for its fix to be decided. */

import { Cell, CodeCell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';

import { KernelLine } from './kernel';
import { trans } from './texts';

/** How long to wait for a heal to begin, or for an approved cell to be run, in milliseconds. */
const PATIENCE = 30_000;

/** Whether the cell says itself that it fails, or is to be left alone. */
function mayFail(cell: CodeCell): boolean {
  const tags = cell.model.getMetadata('tags');
  return (Array.isArray(tags) && tags.includes('raises-exception')) || cell.model.getMetadata('selfheal')?.skip === true;
}

/** Runs over one notebook; `stop` ends it at the next cell or proposal. */
export class WholeNotebook {
  constructor(
    private readonly line: KernelLine,
    private readonly heal: (cell: CodeCell) => Promise<void>
  ) {}

  stop(): void {
    this._stopped = true;
    this.line.progress = trans.__('stopping after this cell');
    this._wake();
  }

  /** How it ended, in words; empty where it was stopped. */
  async run(): Promise<string> {
    const { panel } = this.line;
    const cells = panel.content.widgets.filter((cell): cell is CodeCell => cell instanceof CodeCell);
    try {
      const failing: number[] = [];
      for (const [at, cell] of cells.entries()) {
        this.line.progress = trans.__('cell %1 of %2', at + 1, cells.length);
        await this.line.contextKnown();
        const before = this.line.state.run;
        const ran = this._stopped || cell.isDisposed || (await NotebookActions.runCells(panel.content, [cell], panel.sessionContext));
        if (this._stopped) {
          return '';
        }
        if (!ran && !mayFail(cell)) {
          panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
          void panel.content.scrollToCell(cell);
          if (!this.line.state.on) {
            await this.heal(cell);
          }
          if ((await this._isLeft(before)) || !(await this._decided(cell, before))) {
            if (this._stopped) {
              return '';
            }
            // The cells below may not need this one.
            failing.push(at + 1);
          }
        }
      }
      return failing.length
        ? trans.__('All %1 cells were run; still failing: cell %2.', cells.length, failing.join(', '))
        : trans.__('All %1 cells have run.', cells.length);
    } finally {
      this.line.progress = '';
    }
  }

  /** Whether the kernel began no heal for the cell that has just failed: its fix was dismissed before, or the cell's own command was wrong. */
  private async _isLeft(before: string): Promise<boolean> {
    const state = await this.line.contextKnown();
    return state !== null && state.on && state.run === before;
  }

  /** True once the cell runs, or was changed without being run; false if its heal ended, never began, or this was stopped. */
  private _decided(cell: CodeCell, before: string): Promise<boolean> {
    return new Promise(resolve => {
      const { line } = this;
      let started = Date.now();
      let appliedAt = 0;
      let running = false;
      const done = (answer: boolean): void => {
        window.clearInterval(timer);
        line.changed.disconnect(look);
        NotebookActions.executionScheduled.disconnect(scheduled);
        NotebookActions.executed.disconnect(executed);
        this._wake = () => undefined;
        resolve(answer);
      };
      const look = (): void => {
        const { phase, run, cell: about } = line.state;
        const ours = about === cell.model.id && run !== before;
        if (this._stopped || phase === 'off' || cell.isDisposed || (ours && phase === 'closed')) {
          done(false);
        } else if (!ours && !running && Date.now() - started > PATIENCE) {
          done(false);
        } else if (ours && phase === 'applied' && !running) {
          appliedAt ||= Date.now();
          if (Date.now() - appliedAt > PATIENCE) {
            done(true);
          }
        }
      };
      const scheduled = (_: unknown, args: { cell: Cell }): void => {
        running ||= args.cell === cell;
      };
      const executed = (_: unknown, args: { cell: Cell; success: boolean }): void => {
        if (args.cell === cell) {
          running = false;
          if (args.success) {
            done(true);
          }
          // The fixed cell failed as well: the next heal is waited for.
          before = line.state.run;
          started = Date.now();
          appliedAt = 0;
        }
      };
      const timer = window.setInterval(look, 500);
      this._wake = look;
      line.changed.connect(look);
      NotebookActions.executionScheduled.connect(scheduled);
      NotebookActions.executed.connect(executed);
    });
  }

  private _stopped = false;
  private _wake: () => void = () => undefined;
}
