/** A saved card whose kernel is gone: its text instead of "Error displaying widget". */

import { CodeCell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { trans } from './texts';

const BROKEN = /^Error displaying widget/;

/** The text of our card among the outputs, or an empty string. */
export function savedText(outputs: any[]): string {
  const texts = outputs
    .filter(output => output.data?.['application/vnd.jupyter.widget-view+json'])
    .map(output => [output.data['text/plain'] ?? ''].flat().join(''));
  return texts.find(text => text.startsWith('Self-heal')) ?? '';
}

function mend(panel: NotebookPanel): void {
  for (const cell of panel.content.widgets) {
    if (!(cell instanceof CodeCell)) {
      continue;
    }
    for (const node of cell.node.querySelectorAll('.jp-OutputArea-output.jupyter-widgets')) {
      const text = BROKEN.test(node.textContent ?? '') ? savedText((cell.model.toJSON() as any).outputs ?? []) : '';
      if (text) {
        const shown = document.createElement('pre');
        shown.className = 'jp-SelfHeal-saved';
        const lines = text.split('\n').filter(line => !/^(No buttons here\?|`%heal show`)/.test(line));
        for (const line of [...lines, '', trans.__('From an earlier kernel: run the cell again to have it healed.')]) {
          const row = shown.appendChild(document.createElement('div'));
          row.textContent = line || '\u00a0';
          row.className = line.startsWith('+') ? 'jp-SelfHeal-added' : line.startsWith('-') ? 'jp-SelfHeal-removed' : '';
        }
        node.replaceChildren(shown);
      }
    }
  }
}

/** Mend what is there and what comes, as long as the panel is open. */
export function keepText(panel: NotebookPanel): void {
  let waiting = 0;
  const observer = new MutationObserver(() => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(() => mend(panel), 100);
  });
  observer.observe(panel.content.node, { childList: true, subtree: true });
  panel.disposed.connect(() => observer.disconnect());
}
