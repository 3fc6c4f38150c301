/** Command palette entries and shortcuts. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, ICommandPalette, InputDialog, Notification, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { INotebookTracker, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { searchIcon } from '@jupyterlab/ui-components';

import { focusCell } from './apply';
import { expecting } from './expectation';
import { outputsOf } from './healButton';
import { healIcon } from './icon';
import { KernelLine } from './kernel';
import type { Lines } from './lines';
import { needsOffer } from './outputs';
import { runLine } from './runLine';
import { showSent } from './sent';
import { trans } from './texts';
import { WholeNotebook } from './wholeNotebook';

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
    const why = line.lastFailed ? trans.__('Another cell has failed since.') : trans.__('It has not failed in this kernel since the page was opened.');
    const answer = await showDialog({
      title: trans.__('Run this cell again?'),
      body: trans.__('%1 Run this one again, and it is healed if it fails.', why),
      buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Run again') })]
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

/** The cell that "heal this cell" is about: the active one if it failed or has a card, else the one that failed last. */
function failing(line: KernelLine): CodeCell | null {
  const { activeCell, widgets } = line.panel.content;
  const last = widgets.find(cell => cell.model.id === line.lastFailed);
  const failed = (cell: unknown): cell is CodeCell =>
    cell instanceof CodeCell
    && (cell.node.querySelector('.jupyter-selfheal') !== null || outputsOf(cell).some(output => output.output_type === 'error'));
  return failed(activeCell) ? activeCell : failed(last) ? last : null;
}

/** Heal the active cell, or lead to the card that it has already. */
async function healHere(line: KernelLine): Promise<void> {
  const cell = failing(line);
  if (!cell) {
    Notification.info(trans.__('No cell has failed here: run one that does, then heal it.'), { autoClose: 8000 });
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

/** Write into the cell what it must give, and run it: what misses that is a failure like any other. */
export async function expect(line: KernelLine, cell: CodeCell, value: string): Promise<void> {
  const shared = cell.model.sharedModel;
  if (value.trim() && (await ensureLoaded(line))) {
    shared.transact(() => shared.setSource(expecting(shared.getSource(), value)));
    await NotebookActions.runCells(line.panel.content, [cell], line.panel.sessionContext);
  }
}

/** Ask what the active cell must give. */
async function askExpected(line: KernelLine): Promise<void> {
  const cell = line.panel.content.activeCell;
  if (!(cell instanceof CodeCell)) {
    Notification.info(trans.__('Select the code cell whose result is wrong.'), { autoClose: 8000 });
    return;
  }
  const answer = await InputDialog.getText({
    title: trans.__('What must this cell give?'),
    label: trans.__("A Python value: 2.0, [3, 5], 'north'. The cell is run again, and healed where it gives something else."),
    okLabel: trans.__('Check')
  });
  if (answer.button.accept && answer.value) {
    await expect(line, cell, answer.value);
  }
}

/** Whether at least the top of a card is in view. */
export function isSeen(panel: NotebookPanel, card: Element): boolean {
  const box = card.getBoundingClientRect();
  const view = panel.content.node.getBoundingClientRect();
  return panel.isVisible && box.top >= view.top - 1 && box.top < view.bottom;
}

/** Press a button of the active cell's card, or of the one that waits for the user. */
function press(panel: NotebookPanel, id: string): void {
  const active = panel.content.activeCell?.node;
  const button = active?.querySelector<HTMLButtonElement>(`.jupyter-selfheal [data-id="${id}"]`)
    ?? panel.node.querySelector<HTMLButtonElement>(`.jupyter-selfheal[data-phase="proposed"] [data-id="${id}"]`);
  const card = button?.closest('.jupyter-selfheal');
  if (button && card && id === 'run' && !isSeen(panel, card)) {
    // Nothing is approved unseen: the same command once more approves it.
    card.scrollIntoView({ block: 'center' });
    button.focus();
  } else if (button) {
    button.click();
  } else {
    Notification.info(trans.__('No fix is waiting for you in this notebook.'), { autoClose: 8000 });
  }
}

/** Begin to heal the whole notebook; `healing` holds those where that is going on. */
async function healNotebook(line: KernelLine, healing: Map<NotebookPanel, WholeNotebook>): Promise<void> {
  if (healing.has(line.panel) || !(await ensureLoaded(line))) {
    return;
  }
  const run = new WholeNotebook(line, cell => healCell(line, cell));
  healing.set(line.panel, run);
  try {
    const ended = await run.run();
    if (ended) {
      Notification.info(ended, { autoClose: 8000 });
    }
  } finally {
    healing.delete(line.panel);
  }
}

/** Look at the cells below once; what was found is told. */
async function checkBelow(line: KernelLine, lines: Lines): Promise<void> {
  if (await ensureLoaded(line)) {
    await lines.marksOf(line.panel).check();
  }
}

interface IEntry {
  name: string;
  label: string;
  caption: string;
  execute: (line: KernelLine, lines: Lines) => unknown;
  isEnabled?: (line: KernelLine) => boolean;
  isToggled?: (line: KernelLine) => boolean;
}

function entries(healing: Map<NotebookPanel, WholeNotebook>): IEntry[] {
  const switched = async (line: KernelLine, name: 'on' | 'auto'): Promise<void> => {
    if (await ensureLoaded(line)) {
      line.send({ action: name === 'on' ? (line.state.on ? 'off' : 'on') : line.state.auto ? 'auto off' : 'auto on' });
    }
  };
  return [
    { name: 'heal-cell', label: trans.__('Heal This Cell'), caption: trans.__('Find a fix for the failing cell'), execute: healHere },
    {
      name: 'approve', label: trans.__('Approve and Run the Fix'), caption: trans.__('Put the fix that is offered into the cell, and run it'),
      execute: line => press(line.panel, 'run')
    },
    { name: 'reject', label: trans.__('Reject the Fix'), caption: trans.__('Say why, and the next attempt will know'), execute: line => press(line.panel, 'reject') },
    { name: 'expect', label: trans.__('This Result Should Be…'), caption: trans.__('Say what the cell must give; it is healed where it gives something else'), execute: askExpected },
    { name: 'history', label: trans.__('Show What Was Healed'), caption: trans.__('Every fix of this session, each with its Undo'), execute: (line, lines) => lines.history(line) },
    {
      name: 'heal-notebook', label: trans.__('Heal the Whole Notebook'), caption: trans.__('Run the cells in order; at each that fails, wait until you decide on its fix'),
      execute: line => healNotebook(line, healing), isEnabled: line => !healing.has(line.panel)
    },
    {
      name: 'review', label: trans.__('Heal the Notebook and Review All Fixes'), caption: trans.__('Heal a copy of the notebook; then accept or leave out each fix'),
      execute: async (line, lines) => ((await ensureLoaded(line)) ? lines.review(line) : undefined)
    },
    {
      name: 'cancel', label: trans.__('Stop Healing the Notebook'), caption: trans.__('Stop at the next cell'),
      execute: line => healing.get(line.panel)?.stop(), isEnabled: line => healing.has(line.panel)
    },
    {
      name: 'check-below', label: trans.__('Check the Cells Below'), caption: trans.__('Run the cells below in a copy of the kernel: which will fail?'),
      execute: (line, lines) => checkBelow(line, lines)
    },
    {
      name: 'ahead', label: trans.__('Check the Cells Below in Idle Time'), caption: trans.__('Beside each cell below: will it run, will it fail'),
      execute: async line => ((await ensureLoaded(line)) ? line.send({ action: line.state.ahead?.on ? 'ahead off' : 'ahead on' }) : undefined),
      isToggled: line => line.state.ahead?.on === true
    },
    {
      name: 'sent', label: trans.__('Show What Would Be Sent to a Model'), caption: trans.__('Show what was sent to a model for the failing cell, or would be'),
      execute: async line => ((await ensureLoaded(line)) ? (await line.contextKnown(), showSent(line, failing(line))) : undefined)
    },
    {
      name: 'off', label: trans.__('Suggest Fixes When a Cell Fails'), caption: trans.__('Switch suggestions of this kernel on or off'),
      execute: line => switched(line, 'on'), isToggled: line => line.state.on
    },
    {
      name: 'auto', label: trans.__('Approve Safe Fixes Without Asking'), caption: trans.__('Rules that keep the meaning of the code; never what a model proposes'),
      execute: line => switched(line, 'auto'), isToggled: line => line.state.auto === true
    }
  ];
}

/** The names of the commands, in the order of menus. */
export const COMMANDS = entries(new Map()).map(entry => `jupyter-selfheal:${entry.name}`);

/** Open the notebook that is selected in the file browser, the first one of several, and review its fixes. */
async function reviewSelected(app: JupyterFrontEnd, lines: Lines): Promise<void> {
  const opened: unknown[] = [await app.commands.execute('filebrowser:open')].flat();
  const panel = opened.find(widget => widget instanceof NotebookPanel);
  if (panel instanceof NotebookPanel) {
    await panel.context.ready;
    await panel.sessionContext.ready;
    const line = lines.of(panel);
    await ((await ensureLoaded(line)) ? lines.review(line) : undefined);
  }
}

export function addCommands(app: JupyterFrontEnd, tracker: INotebookTracker, lines: Lines, palette: ICommandPalette | null): void {
  const healing = new Map<NotebookPanel, WholeNotebook>();
  const line = (): KernelLine | null => (tracker.currentWidget ? lines.of(tracker.currentWidget) : null);
  for (const { name, label, caption, execute, isEnabled, isToggled } of entries(healing)) {
    const command = `jupyter-selfheal:${name}`;
    const of = <T>(asked: ((line: KernelLine) => T) | undefined, otherwise: T): T => {
      const current = line();
      return current && asked ? asked(current) : otherwise;
    };
    app.commands.addCommand(command, {
      label,
      caption,
      icon: name.startsWith('heal') ? healIcon : name === 'review' ? healIcon : name === 'check-below' ? searchIcon : undefined,
      isEnabled: () => of(isEnabled, line() !== null),
      isToggleable: isToggled !== undefined,
      isToggled: () => of(isToggled, false),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => of(current => execute(current, lines), undefined)
    });
    palette?.addItem({ command, category: 'Self-heal' });
  }
  app.commands.addCommand('jupyter-selfheal:review-file', {
    label: trans.__('Heal the Notebook and Review All Fixes'),
    caption: trans.__('Open it; heal a copy of it; then accept or leave out each fix'),
    icon: healIcon,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => reviewSelected(app, lines)
  });
  tracker.widgetAdded.connect((_, panel) => {
    lines.of(panel).changed.connect(() => COMMANDS.forEach(command => app.commands.notifyCommandChanged(command)));
  });
}
