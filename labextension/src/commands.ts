/** Command palette entries and shortcuts. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';

import type { Lines } from './index';
import { KernelLine } from './kernel';

const CATEGORY = 'Self-heal';

/** Run a line of ours in the kernel and put what it shows below the cell's own output. */
export async function runLine(line: KernelLine, cell: CodeCell, code: string): Promise<void> {
  const kernel = line.panel.sessionContext.session?.kernel;
  if (!kernel) {
    void showErrorMessage('Self-heal', 'This notebook has no kernel: start one first.');
    return;
  }
  const future = kernel.requestExecute({ code, store_history: false, silent: false });
  future.onIOPub = message => {
    const type = message.header.msg_type;
    if (type === 'display_data' || type === 'stream' || type === 'error') {
      cell.model.outputs.add({ ...(message.content as any), output_type: type });
    }
  };
  await future.done;
}

/** Heal one failing cell; loads the extension in the kernel first where it is not there. */
export async function healCell(line: KernelLine, cell: CodeCell): Promise<void> {
  if (!line.loaded && !(await line.load())) {
    void showErrorMessage('Self-heal', 'jupyter_selfheal is not installed in this kernel: run `%pip install jupyter-selfheal` there.');
    return;
  }
  line.tellContext();
  await runLine(line, cell, '%heal --no-wait');
}

/** Run the cells in order; stop where one fails, so that its proposal can be decided. */
export async function healNotebook(line: KernelLine, cancelled: () => boolean): Promise<void> {
  const panel = line.panel;
  if (!line.loaded && !(await line.load())) {
    return;
  }
  for (const cell of [...panel.content.widgets]) {
    if (cancelled() || cell.isDisposed) {
      return;
    }
    if (!(cell instanceof CodeCell)) {
      continue;
    }
    line.tellContext();
    const ok = await NotebookActions.runCells(panel.content, [cell], panel.sessionContext);
    if (!ok) {
      panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
      void panel.content.scrollToCell(cell);
      const decided = await settled(line, cancelled);
      if (!decided) {
        return;
      }
    }
  }
}

/** True once the fix of the open proposal was applied; false if it was closed, lost or cancelled. */
function settled(line: KernelLine, cancelled: () => boolean): Promise<boolean> {
  return new Promise(resolve => {
    const done = (answer: boolean): void => {
      window.clearInterval(timer);
      line.changed.disconnect(look);
      resolve(answer);
    };
    const look = (): void => {
      if (cancelled() || ['off', 'closed'].includes(line.state.phase)) {
        done(false);
      } else if (line.state.phase === 'applied') {
        done(true);
      }
    };
    const timer = window.setInterval(look, 500);
    line.changed.connect(look);
  });
}

function press(panel: NotebookPanel, id: string): void {
  const active = panel.content.activeCell?.node;
  const button = (active ?? panel.node).querySelector<HTMLButtonElement>(`.jupyter-selfheal [data-id="${id}"]`)
    ?? panel.node.querySelector<HTMLButtonElement>(`.jupyter-selfheal[data-phase="proposed"] [data-id="${id}"]`);
  button?.click();
}

export function addCommands(app: JupyterFrontEnd, tracker: INotebookTracker, lines: Lines, palette: ICommandPalette | null): void {
  let healing = false;
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
    healing = true;
    await healNotebook(lines.of(panel), () => !healing);
    healing = false;
  });
  add('cancel', 'stop healing the notebook', () => {
    healing = false;
  });
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
