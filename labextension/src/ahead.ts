/**
 * Looking ahead: in idle time the kernel side runs the cells below in copies of the kernel, and this shows beside each what
 * will become of it. The page says when: nothing runs, and something has run or was edited since the last look.
 */

import { Notification } from '@jupyterlab/apputils';
import { Cell, CodeCell } from '@jupyterlab/cells';
import { NotebookActions } from '@jupyterlab/notebook';

import { KernelLine } from './kernel';
import type { IMark } from './messages';
import { trans } from './texts';

const CLASS = 'jp-SelfHeal-mark';

/** How long nothing must have happened before the cells below are looked at, in milliseconds. */
const QUIET = 400;

/** What the margin shows, and what it says in full. */
export function face(mark: IMark): { kind: string; sign: string; words: string } {
  if (mark.outcome === 'will run') {
    return { kind: 'runs', sign: '✓', words: trans.__('Will run: it ran in a copy of the kernel') };
  }
  if (mark.outcome !== 'will fail') {
    return { kind: 'unknown', sign: '?', words: trans.__('Not known: %1', mark.detail) };
  }
  return mark.fix
    ? { kind: 'fix', sign: trans.__('fix'), words: trans.__('Will fail: %1. Fix ready: %2. Click to see it', mark.detail, mark.fix) }
    : { kind: 'fails', sign: '✗', words: trans.__('Will fail: %1', mark.detail) };
}

/** One notebook's marks, and its looks. `show` opens the card of a cell whose fix is ready. */
export class Marks {
  constructor(
    private readonly line: KernelLine,
    private readonly show: (cell: CodeCell) => Promise<void>
  ) {
    const { panel } = line;
    line.changed.connect(() => this._follow());
    panel.sessionContext.statusChanged.connect(() => this._wait());
    NotebookActions.executionScheduled.connect((_, { notebook }) => {
      if (notebook === panel.content) {
        window.clearTimeout(this._timer);
      }
    });
    NotebookActions.executed.connect((_, { notebook }) => {
      if (notebook === panel.content) {
        this._want();
      }
    });
    void panel.context.ready.then(() => {
      panel.content.model?.cells.changed.connect(() => this._watchSources());
      this._watchSources();
    });
  }

  /** The user asked: look once, also where looking ahead is off, and say what came of it. */
  async check(): Promise<void> {
    await this.line.contextKnown();
    this._asked = this.line.onMainThread({ run: '', action: 'look ahead', patch: '', text: 'asked' });
    this._isDue = false;
  }

  private _want(): void {
    this._isDue = this.line.state.ahead?.on === true;
    this._wait();
  }

  /** Look when nothing has happened for a moment; each event begins that moment anew. */
  private _wait(): void {
    window.clearTimeout(this._timer);
    if (this._isDue && this._isIdle()) {
      this._timer = window.setTimeout(() => void this._look(), QUIET);
    }
  }

  private _isIdle(): boolean {
    const { panel } = this.line;
    return !panel.isDisposed && panel.sessionContext.session?.kernel?.status === 'idle' && !this._isRunning();
  }

  private _isRunning(): boolean {
    return this.line.panel.content.widgets.some(cell => cell instanceof CodeCell && cell.model.executionState !== 'idle');
  }

  private async _look(): Promise<void> {
    if (this._isDue && this._isIdle()) {
      this._isDue = false;
      // The kernel counts as busy for a moment, as it takes this in.
      await this.line.contextKnown();
      if (!this._isRunning()) {
        this.line.onMainThread({ run: '', action: 'look ahead', patch: '', text: '' });
      }
    }
  }

  private _follow(): void {
    const { ahead } = this.line.state;
    if (ahead?.on && !this._wasOn) {
      this._want();
    }
    this._wasOn = ahead?.on === true;
    const told = JSON.stringify(ahead?.marks ?? []);
    if (told !== this._told) {
      this._told = told;
      this._edited = Infinity;
    }
    this._draw(ahead?.marks ?? []);
    if (this._asked && ahead && !ahead.looking) {
      this._asked = false;
      Notification.info(ahead.note || count(ahead.marks), { autoClose: 8000 });
    }
  }

  /** What was foretold of an edited cell, and of those below it, holds no longer. */
  private _watchSources(): void {
    for (const cell of this.line.panel.content.widgets) {
      if (!this._watched.has(cell)) {
        this._watched.add(cell);
        cell.model.contentChanged.connect(() => {
          const at = this.line.panel.content.widgets.indexOf(cell);
          if (at >= 0 && at < this._edited && this._marked.has(cell.model.id) && this._sources.get(cell.model.id) !== sourceOf(cell)) {
            this._edited = at;
            this._draw(this.line.state.ahead?.marks ?? []);
            this._want();
          }
        });
      }
    }
  }

  private _draw(marks: IMark[]): void {
    const { widgets } = this.line.panel.content;
    const byCell = new Map(marks.map(mark => [mark.cell, mark]));
    this._marked = new Set(byCell.keys());
    widgets.forEach((cell, at) => {
      const mark = at < this._edited ? byCell.get(cell.model.id) : undefined;
      if (mark && !this._sources.has(cell.model.id)) {
        this._sources.set(cell.model.id, sourceOf(cell));
      } else if (!mark) {
        this._sources.delete(cell.model.id);
      }
      drawMark(cell, mark, this.show);
    });
  }

  private _timer = 0;
  private _isDue = false;
  private _wasOn = false;
  private _asked = false;
  private _told = '[]';
  /** The place of the first cell that was edited since the forecasts came. */
  private _edited = Infinity;
  private _marked = new Set<string>();
  private _sources = new Map<string, string>();
  private _watched = new WeakSet<Cell>();
}

const sourceOf = (cell: Cell): string => cell.model.sharedModel.getSource();

/** What was found, in one sentence. */
export function count(marks: IMark[]): string {
  const of = (outcome: string): number => marks.filter(mark => mark.outcome === outcome).length;
  const words: [string, string][] = [
    ['will run', trans.__('%1 will run', of('will run'))],
    ['will fail', trans.__('%1 will fail', of('will fail'))],
    ['not known', trans.__('%1 not known', of('not known'))]
  ];
  const parts = words.filter(([outcome]) => of(outcome)).map(([, said]) => said);
  return parts.length ? trans.__('Of the cells below %1.', parts.join(', ')) : trans.__('Nothing is known of the cells below.');
}

function drawMark(cell: Cell, mark: IMark | undefined, show: (cell: CodeCell) => Promise<void>): void {
  const there = cell.node.querySelector<HTMLElement>('.' + CLASS);
  const wanted = mark && cell instanceof CodeCell ? face(mark) : null;
  if (there?.title === (wanted?.words ?? undefined)) {
    return;
  }
  there?.remove();
  if (!wanted) {
    return;
  }
  const node = document.createElement(wanted.kind === 'fix' ? 'button' : 'span');
  node.className = `${CLASS} ${CLASS}-${wanted.kind}`;
  node.textContent = wanted.sign;
  node.title = wanted.words;
  node.setAttribute('aria-label', wanted.words);
  if (node instanceof HTMLButtonElement) {
    node.type = 'button';
    node.addEventListener('click', () => void open(cell as CodeCell, show));
  } else {
    node.setAttribute('role', 'img');
  }
  cell.inputArea?.node.parentElement?.append(node);
}

/** Open the card, or lead to the one that is open. */
async function open(cell: CodeCell, show: (cell: CodeCell) => Promise<void>): Promise<void> {
  const card = (): HTMLElement | null => cell.node.querySelector<HTMLElement>('.jupyter-selfheal[data-phase="proposed"]');
  if (!card()) {
    await show(cell);
  }
  card()?.focus();
}
