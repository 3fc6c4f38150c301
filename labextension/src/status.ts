/** The status-bar item: idle, healing, waiting for you, cost so far; how far the whole notebook is, and a button that stops it. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';

import type { Lines } from './index';
import type { IState } from './kernel';

export function words(state: IState, progress = ''): string {
  const phase = { healing: 'healing…', proposed: 'waiting for you', paused: 'paused: waiting for you', off: 'not loaded' }[state.phase] ?? 'idle';
  const cost = state.cost && state.cost !== '$0' ? ` · ${state.cost}` : '';
  const where = progress ? ` · ${progress}` : '';
  return `Self-heal: ${state.phase !== 'off' && !state.on ? 'off' : phase}${where}${cost}`;
}

export class StatusItem extends Widget {
  constructor(tracker: INotebookTracker, lines: Lines, stop: () => void) {
    super();
    this.addClass('jp-SelfHeal-status');
    const text = document.createElement('span');
    text.setAttribute('role', 'status');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Stop';
    button.title = 'Stop healing the notebook';
    button.setAttribute('aria-label', button.title);
    button.hidden = true;
    button.addEventListener('click', stop);
    this.node.append(text, button);
    const draw = (): void => {
      const line = tracker.currentWidget ? lines.of(tracker.currentWidget) : null;
      text.textContent = line ? words(line.state, line.progress) : '';
      text.title = line ? line.state.status : '';
      button.hidden = !line?.progress;
    };
    tracker.widgetAdded.connect((_, panel) => lines.of(panel).changed.connect(draw));
    tracker.currentChanged.connect(draw);
    draw();
  }
}
