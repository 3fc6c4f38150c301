/** The status-bar item: idle, healing, waiting for you, cost so far. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';

import type { Lines } from './index';
import { IState } from './kernel';

export function words(state: IState): string {
  const phase = { healing: 'healing…', proposed: 'waiting for you', paused: 'paused: waiting for you', off: 'not loaded' }[state.phase] ?? 'idle';
  const cost = state.cost && state.cost !== '$0' ? ` · ${state.cost}` : '';
  return `Self-heal: ${state.phase !== 'off' && !state.on ? 'off' : phase}${cost}`;
}

export class StatusItem extends Widget {
  constructor(tracker: INotebookTracker, lines: Lines) {
    super();
    this.addClass('jp-SelfHeal-status');
    this.node.setAttribute('role', 'status');
    const draw = (): void => {
      const panel = tracker.currentWidget;
      this.node.textContent = panel ? words(lines.of(panel).state) : '';
      this.node.title = panel ? lines.of(panel).state.status : '';
    };
    tracker.widgetAdded.connect((_, panel) => lines.of(panel).changed.connect(draw));
    tracker.currentChanged.connect(draw);
    draw();
  }
}
