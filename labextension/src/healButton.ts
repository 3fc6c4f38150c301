/** The Heal button below the output of a failing cell that has no card yet, also where the traceback was stored in the file. */

import { CodeCell } from '@jupyterlab/cells';

const CLASS = 'jp-SelfHeal-offer';

/** A plaster. Decoration: the words say it. */
const ICON =
  '<svg aria-hidden="true" viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" stroke-width="1.4">' +
  '<rect x="0.5" y="5" width="15" height="6" rx="3" transform="rotate(-45 8 8)"/>' +
  '<path d="M5.2 8 8 5.2 10.8 8 8 10.8Z"/></svg>';

const watched = new WeakSet<CodeCell>();

/** The outputs of a cell, as nbformat has them. */
export function outputsOf(cell: CodeCell): any[] {
  return (cell.model.toJSON() as any).outputs ?? [];
}

/** Whether the outputs hold an error and no card of ours. */
export function needsOffer(outputs: any[]): boolean {
  const failed = outputs.some(output => output.output_type === 'error' && output.ename !== 'KeyboardInterrupt');
  const carded = outputs.some(output => String(output.data?.['text/plain'] ?? '').startsWith('Self-heal'));
  return failed && !carded;
}

/** Put the button there, or take it away. `heal` is called for a click; where it comes to nothing the button is there again. */
export function offer(cell: CodeCell, heal: () => Promise<void>): void {
  withdraw(cell);
  if (!needsOffer(outputsOf(cell))) {
    return;
  }
  if (!watched.has(cell)) {
    watched.add(cell);
    cell.model.outputs.changed.connect(() => {
      if (!needsOffer(outputsOf(cell))) {
        withdraw(cell);
      }
    });
  }
  const row = document.createElement('div');
  row.className = CLASS;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-SelfHeal-button';
  button.innerHTML = ICON;
  button.append('Heal this cell');
  button.title = 'Find a fix that is proven in a separate kernel; nothing changes until you approve (Alt+H)';
  button.addEventListener('click', () => {
    withdraw(cell);
    void heal().finally(() => cell.isDisposed || offer(cell, heal));
  });
  row.append(button);
  cell.outputArea.node.parentElement?.after(row);
}

export function withdraw(cell: CodeCell): void {
  cell.node.querySelectorAll('.' + CLASS).forEach(node => node.remove());
}
