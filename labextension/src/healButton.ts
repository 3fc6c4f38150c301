/** The Heal button below the output of a failing cell that has no card yet, also where the traceback was stored in the file. */

import { CodeCell } from '@jupyterlab/cells';

import { healIcon } from './icon';
import { needsOffer } from './outputs';
import { trans } from './texts';

const CLASS = 'jp-SelfHeal-offer';

const watched = new WeakSet<CodeCell>();

/** The outputs of a cell, as nbformat has them. */
export function outputsOf(cell: CodeCell): any[] {
  return (cell.model.toJSON() as any).outputs ?? [];
}

const sourceOf = (cell: CodeCell): string => cell.model.sharedModel.getSource();

/**
 * Put the button there, or take it away. `heal` is called for a click; where it comes to nothing the button is there again.
 * `first` says what else a click does.
 */
export function offer(cell: CodeCell, heal: () => Promise<void>, first = ''): void {
  withdraw(cell);
  if (!needsOffer(outputsOf(cell), sourceOf(cell))) {
    return;
  }
  if (!watched.has(cell)) {
    watched.add(cell);
    cell.model.outputs.changed.connect(() => {
      if (!needsOffer(outputsOf(cell), sourceOf(cell))) {
        withdraw(cell);
      }
    });
  }
  const row = document.createElement('div');
  row.className = CLASS;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-SelfHeal-button';
  healIcon.element({ container: button });
  const words = document.createElement('span');
  words.textContent = trans.__('Heal this cell');
  button.append(words);
  button.title = first + trans.__('Find a fix that is proven in a separate kernel; nothing changes until you approve (Alt+H)');
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled')) {
      return;
    }
    button.setAttribute('aria-disabled', 'true');
    words.textContent = trans.__('Healing, as soon as the kernel is free…');
    void heal().finally(() => cell.isDisposed || offer(cell, heal, first));
  });
  row.append(button);
  cell.outputArea.node.parentElement?.after(row);
}

export function withdraw(cell: CodeCell): void {
  cell.node.querySelectorAll('.' + CLASS).forEach(node => node.remove());
}
