/** The line that stays below a cell whose fix was put in and run: what was changed, Undo, Details. It is not part of the notebook. */

import { Cell, CodeCell } from '@jupyterlab/cells';

import { makeButton } from './button';
import { trans } from './texts';

const CLASS = 'jp-SelfHeal-healed';
const UNDO = 'jp-SelfHeal-undo';

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

/**
 * Put the line there, in place of one that is there. The same line may come twice, from the run that ended and from the kernel's history:
 * what was unfolded in it stays so. Returns the line.
 */
export function showHealed(cell: CodeCell, healed: IHealed): HTMLElement {
  const before = cell.node.querySelector(`.${CLASS} pre`);
  const isOpen = before !== null && !before.hasAttribute('hidden') && before.textContent === healed.details;
  hideHealed(cell);
  const row = document.createElement('div');
  row.className = CLASS;
  const words = document.createElement('span');
  words.setAttribute('role', 'status');
  words.textContent = trans.__('Healed: %1', healed.title.replace(/`/g, ''));
  const details = document.createElement('pre');
  details.textContent = healed.details;
  details.hidden = !isOpen;
  const more = makeButton(trans.__('Details'), trans.__('What proves the fix'), () => {
    details.hidden = !details.hidden;
    more.setAttribute('aria-expanded', String(!details.hidden));
  });
  more.setAttribute('aria-expanded', String(isOpen));
  const undo = makeButton(trans.__('Undo'), trans.__('Put the old source back'), () => {
    const { ok, message } = healed.undo();
    if (!ok) {
      words.textContent = message;
    }
  });
  undo.classList.add(UNDO);
  row.append(words, undo, more, details);
  cell.outputArea.node.parentElement?.after(row);
  return row;
}

/** Whether such a line is still shown and has its Undo. */
export const canUndo = (row: HTMLElement): boolean => row.isConnected && row.querySelector('.' + UNDO) !== null;

export const hasLine = (cell: Cell): boolean => cell.node.querySelector('.' + CLASS) !== null;

/** The fix was taken back, by whichever button or command: the line says so. */
export function tellUndone(cell: Cell): void {
  for (const row of cell.node.querySelectorAll('.' + CLASS)) {
    row.querySelector('[role="status"]')?.replaceChildren(trans.__('Undone: the old source is back.'));
    const undo = row.querySelector('.' + UNDO);
    if (undo !== null && undo === document.activeElement) {
      (undo.nextElementSibling as HTMLElement | null)?.focus();
    }
    undo?.remove();
  }
}

export function hideHealed(cell: CodeCell): void {
  cell.node.querySelectorAll('.' + CLASS).forEach(node => node.remove());
}
