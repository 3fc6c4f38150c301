/** The Heal button below the output of a failing cell that has no card yet, also where the traceback was stored in the file. */

import { CodeCell } from '@jupyterlab/cells';

const CLASS = 'jp-SelfHeal-offer';

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

/** Put the button there, or take it away. `heal` is called once for a click. */
export function offer(cell: CodeCell, heal: () => void): void {
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
  button.textContent = '✚ Heal this cell';
  button.title = 'Find a fix that is proven in a separate kernel; nothing changes until you approve (Alt+H)';
  button.addEventListener('click', () => {
    withdraw(cell);
    heal();
  });
  row.append(button);
  cell.outputArea.node.parentElement?.after(row);
}

export function withdraw(cell: CodeCell): void {
  cell.node.querySelectorAll('.' + CLASS).forEach(node => node.remove());
}
