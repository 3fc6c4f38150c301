/** Command palette entries and shortcuts. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, ICommandPalette, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import type { Lines } from './index';
import { KernelLine } from './kernel';
import { WholeNotebook } from './wholeNotebook';

const CATEGORY = 'Self-heal';

/** Run a line of ours in the kernel and put what it shows below the cell's own output. */
export async function runLine(line: KernelLine, cell: CodeCell, code: string): Promise<void> {
  const kernel = line.panel.sessionContext.session?.kernel;
  if (!kernel) {
    void showErrorMessage('Self-heal', 'This notebook has no kernel: start one first.');
    return;
  }
  const { outputs } = cell.model;
  const shown = new Map<string, number>();
  // Not disposed of when done: a card is renewed by its display id for as long as it is shown.
  const future = kernel.requestExecute({ code, store_history: false, silent: false }, false);
  outputs.changed.connect((_, change) => {
    if (change.type === 'remove' || change.type === 'clear') {
      future.dispose();
    }
  });
  future.onIOPub = message => {
    const type = message.header.msg_type;
    const { transient, ...content } = message.content as any;
    const id = transient?.display_id;
    if (type === 'update_display_data' && shown.has(id)) {
      outputs.set(shown.get(id)!, { ...content, output_type: 'display_data' });
    } else if (type === 'display_data' || type === 'stream' || type === 'error') {
      const length = outputs.add({ ...content, output_type: type });
      if (id) {
        shown.set(id, length - 1);
      }
    }
  };
  await future.done;
}

async function ensureLoaded(line: KernelLine): Promise<boolean> {
  if (await line.load()) {
    return true;
  }
  void showErrorMessage('Self-heal', 'jupyter_selfheal is not installed in this kernel: run `%pip install jupyter-selfheal` there.');
  return false;
}

/** Heal one failing cell; loads the extension in the kernel first where it is not there. */
export async function healCell(line: KernelLine, cell: CodeCell): Promise<void> {
  if (!(await ensureLoaded(line))) {
    return;
  }
  await line.contextKnown();
  if (line.lastFailed && line.lastFailed !== cell.model.id) {
    const answer = await showDialog({
      title: 'Run this cell again?',
      body: 'Another cell has failed since. Run this one again, and it is healed as it fails.',
      buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Run again' })]
    });
    if (!answer.button.accept) {
      return;
    }
    await NotebookActions.runCells(line.panel.content, [cell], line.panel.sessionContext);
    if (line.state.on) {
      return;
    }
  }
  await runLine(line, cell, '%heal --no-wait');
}


function press(panel: NotebookPanel, id: string): void {
  const active = panel.content.activeCell?.node;
  const button = (active ?? panel.node).querySelector<HTMLButtonElement>(`.jupyter-selfheal [data-id="${id}"]`)
    ?? panel.node.querySelector<HTMLButtonElement>(`.jupyter-selfheal[data-phase="proposed"] [data-id="${id}"]`);
  button?.click();
}

export function addCommands(app: JupyterFrontEnd, tracker: INotebookTracker, lines: Lines, palette: ICommandPalette | null): void {
  const healing = new Map<NotebookPanel, WholeNotebook>();
  const current = (): NotebookPanel | null => tracker.currentWidget;
  const add = (name: string, label: string, execute: (panel: NotebookPanel) => unknown): void => {
    const command = `jupyter-selfheal:${name}`;
    app.commands.addCommand(command, {
      label: `Self-heal: ${label}`,
      isEnabled: () => current() !== null,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => {
        const panel = current();
        return panel ? execute(panel) : undefined;
      }
    });
    palette?.addItem({ command, category: CATEGORY });
  };
  add('heal-cell', 'heal this cell', panel => {
    const cell = panel.content.activeCell;
    return cell instanceof CodeCell ? healCell(lines.of(panel), cell) : undefined;
  });
  add('approve', 'approve & run the fix', panel => press(panel, 'run'));
  add('reject', 'reject the fix', panel => press(panel, 'reject'));
  add('heal-notebook', 'heal the whole notebook', async panel => {
    const line = lines.of(panel);
    if (healing.has(panel) || !(await ensureLoaded(line))) {
      return;
    }
    const run = new WholeNotebook(line, cell => healCell(line, cell));
    healing.set(panel, run);
    try {
      await run.run();
    } finally {
      healing.delete(panel);
    }
  });
  add('cancel', 'stop healing the notebook', panel => healing.get(panel)?.stop());
  add('sent', 'show what was sent to a model', panel => {
    const cell = panel.content.activeCell;
    return cell instanceof CodeCell ? runLine(lines.of(panel), cell, '%heal sent') : undefined;
  });
  add('off', 'switch suggestions off or on', panel => {
    const line = lines.of(panel);
    line.send({ action: line.state.on ? 'off' : 'on' });
  });
  app.commands.addKeyBinding({ command: 'jupyter-selfheal:heal-cell', keys: ['Alt H'], selector: '.jp-Notebook' });
}
