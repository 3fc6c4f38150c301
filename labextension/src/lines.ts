/** What the page keeps of each open notebook: its line to the kernel, and the marks beside its cells. */

import { CodeCell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';

import { Marks } from './ahead';
import { KernelLine } from './kernel';
import { runLine } from './runLine';

/** A cell that was never run here is not trusted, and would show no card. What it holds from the file goes first: that is not. */
function trust(cell: CodeCell): void {
  if (!cell.model.trusted) {
    cell.model.outputs.clear();
    cell.model.trusted = true;
  }
}

/** One connection for each open notebook, and its marks beside the cells below. */
export class Lines {
  /** `review` heals a copy of the notebook and opens its review; `history` shows what was healed. */
  constructor(
    readonly review: (line: KernelLine) => Promise<void>,
    readonly history: (line: KernelLine) => void
  ) {}

  of(panel: NotebookPanel): KernelLine {
    let line = this._lines.get(panel);
    if (!line) {
      line = new KernelLine(panel);
      this._lines.set(panel, line);
    }
    return line;
  }

  marksOf(panel: NotebookPanel): Marks {
    let marks = this._marks.get(panel);
    if (!marks) {
      const line = this.of(panel);
      marks = new Marks(line, cell => {
        trust(cell);
        return runLine(line, cell, `%heal ahead show ${cell.model.id}`);
      });
      this._marks.set(panel, marks);
    }
    return marks;
  }

  private _marks = new WeakMap<NotebookPanel, Marks>();
  private _lines = new WeakMap<NotebookPanel, KernelLine>();
}
