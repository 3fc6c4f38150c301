/** The line that stays below a cell whose fix was put in and run: what was changed, Undo, Details. It is not part of the notebook. */

import { CodeCell } from '@jupyterlab/cells';

import { makeButton } from './button';
import { trans } from './texts';

const CLASS = 'jp-SelfHeal-healed';

export interface IHealed {
  /** What the fix did, in a few words. */
  title: string;
  /** The evidence for it, in plain text. */
  details: string;
  /** Put the old source back; what came of it, in words. */
  undo: () => { ok: boolean; message: string };
}

/** Below the cell in which the kernel died: what is known of it. It is not part of the notebook either, and goes when the cell is run. */
export function showDied(cell: CodeCell, text: string): void {
  hideHealed(cell);
  const row = document.createElement('div');
  row.className = `${CLASS} jp-SelfHeal-died`;
  row.setAttribute('role', 'alert');
  row.textContent = text.replace(/`/g, '');
  cell.outputArea.node.parentElement?.after(row);
}

/** Put the line there, in place of one that is there. */
export function showHealed(cell: CodeCell, healed: IHealed): void {
  hideHealed(cell);
  const row = document.createElement('div');
  row.className = CLASS;
  const words = document.createElement('span');
  words.setAttribute('role', 'status');
  words.textContent = trans.__('Healed: %1', healed.title.replace(/`/g, ''));
  const details = document.createElement('pre');
  details.textContent = healed.details;
  details.hidden = true;
  const more = makeButton(trans.__('Details'), trans.__('What proves the fix'), () => {
    details.hidden = !details.hidden;
    more.setAttribute('aria-expanded', String(!details.hidden));
  });
  more.setAttribute('aria-expanded', 'false');
  const undo = makeButton(trans.__('Undo'), trans.__('Put the old source back'), () => {
    const { ok, message } = healed.undo();
    words.textContent = ok ? trans.__('Undone: the old source is back.') : message;
    if (ok) {
      undo.remove();
    }
  });
  row.append(words, undo, more, details);
  cell.outputArea.node.parentElement?.after(row);
}

export function hideHealed(cell: CodeCell): void {
  cell.node.querySelectorAll('.' + CLASS).forEach(node => node.remove());
}
