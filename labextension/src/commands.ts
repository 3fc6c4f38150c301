/** Command palette entries and shortcuts. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, ICommandPalette, Notification, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import { focusCell } from './apply';
import { needsOffer, outputsOf } from './healButton';
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
  const reason = await line.load();
  if (reason) {
    void showErrorMessage('Self-heal', reason);
  }
  return !reason;
}

/**
 * Heal one failing cell; loads the extension in the kernel first where it is not there.
 *
 * The kernel holds the state of its last failure alone: a cell that failed earlier is run again, if the user wants that.
 */
export async function healCell(line: KernelLine, cell: CodeCell): Promise<void> {
  if (!(await ensureLoaded(line))) {
    return;
  }
  await line.contextKnown();
  if (line.lastFailed !== cell.model.id) {
    const why = line.lastFailed ? 'Another cell has failed since.' : 'It has not failed in this kernel since the page was opened.';
    const answer = await showDialog({
      title: 'Run this cell again?',
      body: `${why} Run this one again, and it is healed if it fails.`,
      buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Run again' })]
    });
    if (!answer.button.accept) {
      return;
    }
    const ran = await NotebookActions.runCells(line.panel.content, [cell], line.panel.sessionContext);
    if (ran || !needsOffer(outputsOf(cell))) {
      return;
    }
  }
  await runLine(line, cell, '%heal --no-wait');
}

/** The cell that "heal this cell" is about: the active one if it failed, else the one that failed last. */
function failing(line: KernelLine): CodeCell | null {
  const { activeCell, widgets } = line.panel.content;
  const last = widgets.find(cell => cell.model.id === line.lastFailed);
  const failed = (cell: unknown): cell is CodeCell => cell instanceof CodeCell && outputsOf(cell).some(output => output.output_type === 'error');
  return failed(activeCell) ? activeCell : failed(last) ? last : null;
}

/** Heal the active cell, or lead to the card that it has already. */
async function healHere(line: KernelLine): Promise<void> {
  const cell = failing(line);
  if (!cell) {
    Notification.info('No cell has failed here: run one that does, then heal it.', { autoClose: 8000 });
    return;
  }
  const offered = cell.node.querySelector<HTMLButtonElement>('.jupyter-selfheal[data-phase="proposed"] .sh-primary');
  if (offered) {
    offered.focus();
    return;
  }
  focusCell(line.panel.content, cell);
  await healCell(line, cell);
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
  add('heal-cell', 'heal this cell', panel => healHere(lines.of(panel)));
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
      const ended = await run.run();
      if (ended) {
        Notification.info(ended, { autoClose: 8000 });
      }
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
