/** jupyter-selfheal in JupyterLab and Notebook: approvals, the Heal button, commands, status, settings. */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { apply, elsewhere, focusCell, isHere, whereabouts } from './apply';
import { cardTexts } from './cardTexts';
import { addCommands, expect, healCell } from './commands';
import { drawDiff } from './diff';
import { offer, outputsOf, withdraw } from './healButton';
import { hideHealed, showDied } from './healedLine';
import type { HealedMemory, IHealedCell } from './healedMemory';
import { openHistory, showLinesAgain } from './history';
import { KernelLine } from './kernel';
import { Lines } from './lines';
import { notify } from './notices';
import { needsOffer } from './outputs';
import { keepText } from './remains';
import { openReview } from './review';
import { runLine } from './runLine';
import { pushSettings } from './settings';
import { StatusItem } from './status';
import { setBundle, trans } from './texts';

const ID = 'jupyter-selfheal:plugin';

/** The widget's events bubble up to the document: `apply` changes cells, `diff` draws, `act` goes to the kernel at once. */
function listen(tracker: INotebookTracker, lines: Lines, languages: IEditorLanguageRegistry | null): void {
  document.addEventListener('jupyter-selfheal', event => {
    const detail = (event as CustomEvent).detail;
    const here = event.target instanceof Node ? whereabouts(tracker, event.target) : null;
    if (!here || !detail) {
      return;
    }
    if (detail.action === 'apply') {
      event.preventDefault();
      detail.result = apply(lines.of(here.panel), here.cell, detail);
    } else if (detail.action === 'expect' && here.cell instanceof CodeCell) {
      event.preventDefault();
      void expect(lines.of(here.panel), here.cell, detail.value);
    } else if (detail.action === 'here') {
      detail.here = isHere(here.panel, detail.undo);
    } else if (detail.action === 'diff') {
      event.preventDefault();
      void drawDiff(detail.host, detail.old, detail.source, languages);
    } else if (detail.action === 'show') {
      const cell = here.panel.content.widgets.find(candidate => candidate.model.id === detail.cellId);
      if (cell) {
        event.preventDefault();
      }
      if (cell && !detail.probe) {
        focusCell(here.panel.content, cell);
        void here.panel.content.scrollToCell(cell);
      }
    } else if (detail.action === 'act') {
      const line = lines.of(here.panel);
      if (detail.forks ? line.onMainThread(detail.message) : line.send(detail.message)) {
        event.preventDefault();
      }
    }
  });
}

function watchCells(tracker: INotebookTracker, lines: Lines): void {
  const panelOf = (notebook: any): NotebookPanel | undefined => tracker.find(panel => panel.content === notebook);
  NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
    const panel = panelOf(notebook);
    if (panel && cell instanceof CodeCell) {
      withdraw(cell);
      lines.of(panel).tellContext();
    }
  });
  NotebookActions.executed.connect((_, { notebook, cell, success }) => {
    const panel = panelOf(notebook);
    if (panel && cell instanceof CodeCell && !success) {
      lines.of(panel).lastFailed = cell.model.id;
      offerIn(panel, cell, lines);
    }
  });
  tracker.widgetAdded.connect((_, panel) => {
    lines.of(panel).shownAgain.connect((_, cell) => offerIn(panel, cell, lines));
    void panel.context.ready.then(() => {
      const line = lines.of(panel);
      const show = (healed: IHealedCell[]): Promise<void> =>
        Promise.all(panel.content.widgets.map(cell => cell.ready)).then(() => showLinesAgain(line, healed));
      void show(line.healed.recall());
      // What the kernel says first is of before this page; what comes later this page has shown itself.
      const first = (_: HealedMemory, healed: IHealedCell[]): void => {
        line.healed.changed.disconnect(first);
        void show(healed);
      };
      line.healed.changed.connect(first);
      for (const cell of panel.content.widgets) {
        if (cell instanceof CodeCell && needsOffer(outputsOf(cell))) {
          void cell.ready.then(() => offerIn(panel, cell, lines));
        }
      }
    });
  });
}

/** Offer to heal a failing cell, but not one of a kernel that speaks another language. */
function offerIn(panel: NotebookPanel, cell: CodeCell, lines: Lines): void {
  const language = panel.content.model?.defaultKernelLanguage;
  if (language && language !== 'python' && language !== 'ipython') {
    return;
  }
  const heal = (): Promise<void> => {
    focusCell(panel.content, cell);
    return healCell(lines.of(panel), cell);
  };
  offer(cell, heal, lines.of(panel).loaded ? '' : trans.__('Load jupyter_selfheal in this kernel. '));
}

/** What failed in no cell (a widget's callback, used later) gets its card at the cell that holds the function. */
function place(panel: NotebookPanel, line: KernelLine): void {
  const placed = new Set<string>();
  line.changed.connect((_, state) => {
    const cell = panel.content.widgets.find(candidate => candidate.model.id === state.cell);
    if (state.placed === false && !placed.has(state.run) && cell instanceof CodeCell) {
      placed.add(state.run);
      void runLine(line, cell, `get_ipython()._jupyter_selfheal.on_main(${JSON.stringify(state.run)}, "place", "", "")`, true);
    }
  });
}

/** What `%heal approve`, `%heal resume` or `%heal undo` in another cell asks for is done in the cell that it is about. */
function carryOut(panel: NotebookPanel, line: KernelLine): void {
  line.asked.connect((_, { cell: id, how, ...asked }) => {
    const cell = panel.content.widgets.find(candidate => candidate.model.id === id);
    const undo = how === 'undo';
    if (!cell || (undo && !isHere(panel, asked.edits))) {
      return;
    }
    const request = { ...asked, action: 'apply' as const, run: !undo, resume: how === 'resume', undo, result: null };
    void apply(line, cell, request).then(({ ok, message }) => {
      if (!ok && message !== elsewhere()) {
        Notification.warning(message);
      }
    });
  });
}

/** Say below the cell how the kernel that was here before died in it, until the cell is run. */
function tellDeath(panel: NotebookPanel, line: KernelLine): void {
  let told = '';
  line.changed.connect((_, { died }) => {
    const cell = panel.content.widgets.find(candidate => candidate.model.id === died?.cell);
    if (died?.text && died.text !== told && cell instanceof CodeCell) {
      told = died.text;
      showDied(cell, died.text);
      const scheduled = (_: unknown, args: { cell: unknown }): void => {
        if (args.cell === cell) {
          hideHealed(cell);
          NotebookActions.executionScheduled.disconnect(scheduled);
        }
      };
      NotebookActions.executionScheduled.connect(scheduled);
    }
  });
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Heals failing cells: every fix offered was tested in a copy of the kernel.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, IStatusBar, ISettingRegistry, IEditorLanguageRegistry, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    statusBar: IStatusBar | null,
    settings: ISettingRegistry | null,
    languages: IEditorLanguageRegistry | null,
    translator: ITranslator | null
  ) => {
    if (translator) {
      setBundle(translator.load('jupyter_selfheal'));
    }
    (globalThis as any).jupyterSelfHealTexts = cardTexts();
    const lines = new Lines(line => openReview(app, line, languages), line => openHistory(app, line));
    listen(tracker, lines, languages);
    watchCells(tracker, lines);
    addCommands(app, tracker, lines, palette);
    tracker.widgetAdded.connect((_, panel) => {
      notify(app, tracker, panel, lines.of(panel));
      place(panel, lines.of(panel));
      tellDeath(panel, lines.of(panel));
      carryOut(panel, lines.of(panel));
      lines.marksOf(panel);
      keepText(panel);
    });
    const item = new StatusItem(tracker, lines, app.commands);
    if (statusBar) {
      const activeStateChanged = new Signal<object, void>(item);
      tracker.currentChanged.connect(() => activeStateChanged.emit());
      statusBar.registerStatusItem(ID, { item, align: 'left', rank: 900, isActive: () => tracker.currentWidget !== null, activeStateChanged });
    } else {
      // Notebook 7 has no status bar: it stands beside the menus there, where a notebook is open.
      item.id = 'jupyter-selfheal-status';
      tracker.widgetAdded.connect(() => item.isAttached || app.shell.add(item, 'menu', { rank: 10_900 }));
    }
    if (settings) {
      void settings.load(ID).then(loaded => pushSettings(loaded, tracker, lines));
    }
  }
};

export default plugin;
