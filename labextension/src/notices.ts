/** A fix that came out of sight is told by a notification. It stays until its card is seen, or the fix waits no longer: who was away finds it. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import { focusCell } from './apply';
import { isSeen } from './commands';
import type { KernelLine } from './kernel';
import { trans } from './texts';

export function notify(app: JupyterFrontEnd, tracker: INotebookTracker, panel: NotebookPanel, line: KernelLine): void {
  const notices = new Map<string, string>(); // a cell, and the notification of its fix
  let told = '';
  const find = (id: string): Cell | undefined => panel.content?.widgets.find(cell => cell.model.id === id);
  const cardOf = ({ node }: Cell): Element =>
    node.querySelector('.jupyter-selfheal[data-phase="proposed"]') ?? node.querySelector('.jupyter-selfheal') ?? node;
  const dismiss = (id: string): void => {
    const notice = notices.get(id);
    if (notice) {
      notices.delete(id);
      Notification.dismiss(notice);
    }
  };
  const show = (cell: Cell): void => {
    app.shell.activateById(panel.id);
    focusCell(panel.content, cell);
    cardOf(cell).scrollIntoView({ block: 'center' });
  };
  /** Seen, decided (the kernel tells of the last heal alone), or deleted. */
  const dismissDone = (): void => {
    for (const id of [...notices.keys()]) {
      const cell = find(id);
      if (!cell || isSeen(panel, cardOf(cell)) || cardOf(cell).matches('[data-phase="closed"], [data-phase="applied"]')) {
        dismiss(id);
      }
    }
  };
  line.changed.connect((_, state) => {
    if (state.phase === 'off') {
      [...notices.keys()].forEach(dismiss);
    }
    dismissDone();
    if (state.phase !== 'proposed') {
      dismiss(state.cell);
      return;
    }
    const cell = find(state.cell);
    if (!cell || state.run + state.status === told) {
      return;
    }
    told = state.run + state.status;
    dismiss(state.cell);
    if (!isSeen(panel, cardOf(cell))) {
      const actions = [{ label: trans.__('Show'), callback: () => show(cell) }];
      notices.set(state.cell, Notification.info(state.status, { autoClose: false, actions }));
    }
  });
  panel.node.addEventListener('scroll', dismissDone, true);
  tracker.currentChanged.connect(dismissDone);
  panel.disposed.connect(() => {
    tracker.currentChanged.disconnect(dismissDone);
    [...notices.keys()].forEach(dismiss);
  });
}
