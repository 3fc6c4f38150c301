/** The status-bar item: idle, healing, waiting for you, cost so far; how far the whole notebook is, and a button that stops it. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { MenuSvg } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';

import { focusCell } from './apply';
import { makeButton } from './button';
import { COMMANDS } from './commands';
import { healIcon } from './icon';
import type { Lines } from './lines';
import type { IState } from './messages';
import { trans } from './texts';

/** What is to be told: how the last heal stands; once that has ended, the fix of an earlier failure that still waits. */
function toldPhase(state: IState): string {
  return state.offered && ['applied', 'closed'].includes(state.phase) ? 'proposed' : state.phase;
}

export function words(state: IState, progress = ''): string {
  const phase = { healing: trans.__('healing…'), proposed: trans.__('fix ready: go to it'), paused: trans.__('paused: waiting for you'), off: trans.__('not loaded') }[toldPhase(state)] ?? trans.__('idle');
  const cost = state.cost && state.cost !== '$0' ? ` · ${state.cost}` : '';
  const where = progress ? ` · ${progress}` : '';
  return `Self-heal: ${state.phase !== 'off' && !state.on ? trans.__('off') : phase}${where}${cost}`;
}

/** The same where there is no room for it (a phone): what is to be done, in a word or two. */
export function shortWords(state: IState, progress = ''): string {
  const phase = { healing: trans.__('healing…'), proposed: trans.__('fix ready'), paused: trans.__('paused') }[toldPhase(state)] ?? '';
  return phase ? progress || phase : '';
}

/** Lead to the card of the fix that waits for the user; false where none does. */
function goToFix(tracker: INotebookTracker, lines: Lines): boolean {
  const panel = tracker.currentWidget;
  const state = panel && lines.of(panel).state;
  const wanted = state?.phase === 'proposed' ? state.cell : state?.offered;
  const cell = panel?.content.widgets.find(candidate => candidate.model.id === wanted);
  const card = cell?.node.querySelector<HTMLElement>('.jupyter-selfheal[data-phase="proposed"]');
  if (!panel || !cell || !card) {
    return false;
  }
  focusCell(panel.content, cell);
  card.scrollIntoView({ block: 'nearest' });
  card.focus();
  return true;
}

export class StatusItem extends Widget {
  constructor(tracker: INotebookTracker, lines: Lines, commands: JupyterFrontEnd['commands']) {
    super();
    this.addClass('jp-SelfHeal-status');
    const menu = new MenuSvg({ commands });
    COMMANDS.forEach(command => menu.addItem({ command }));
    const open = makeButton('', trans.__('Self-heal: what can be done'), () => show());
    open.className = 'jp-SelfHeal-menu';
    open.setAttribute('aria-label', open.title);
    open.setAttribute('aria-haspopup', 'menu');
    healIcon.element({ container: open });
    const text = document.createElement('span');
    text.setAttribute('role', 'status');
    const wide = document.createElement('span');
    wide.className = 'jp-SelfHeal-wide';
    const short = document.createElement('span');
    short.className = 'jp-SelfHeal-short';
    short.setAttribute('aria-hidden', 'true');
    text.append(wide, short);
    const show = (): void => {
      const box = this.node.getBoundingClientRect();
      menu.open(box.left, box.top);
    };
    text.addEventListener('click', () => goToFix(tracker, lines) || show());
    menu.aboutToClose.connect(() => window.setTimeout(() => document.activeElement === document.body && open.focus(), 0));
    const stop = makeButton(trans.__('Stop'), trans.__('Stop healing the notebook'), () => void commands.execute('jupyter-selfheal:cancel'));
    stop.setAttribute('aria-label', stop.title);
    stop.hidden = true;
    this.node.append(open, text, stop);
    const draw = (): void => {
      const line = tracker.currentWidget ? lines.of(tracker.currentWidget) : null;
      wide.textContent = line ? words(line.state, line.progress) : '';
      short.textContent = line ? shortWords(line.state, line.progress) : '';
      text.title = line ? line.state.status : '';
      stop.hidden = !line?.progress;
    };
    tracker.widgetAdded.connect((_, panel) => lines.of(panel).changed.connect(draw));
    tracker.currentChanged.connect(draw);
    draw();
  }
}
