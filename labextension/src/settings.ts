/** The Settings editor's values, sent to the kernel side as `c.SelfHeal.*`. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { Lines } from './index';

export function pushSettings(settings: ISettingRegistry.ISettings, tracker: INotebookTracker, lines: Lines): void {
  const values = (): { [key: string]: unknown } => settings.user as { [key: string]: unknown };
  const push = (): void => {
    tracker.forEach(panel => lines.of(panel).send({ action: 'settings', values: values() }));
  };
  settings.changed.connect(push);
  tracker.widgetAdded.connect((_, panel) => {
    let was = 'off';
    lines.of(panel).changed.connect((line, state) => {
      if (was === 'off' && state.phase !== 'off') {
        line.send({ action: 'settings', values: values() });
      }
      was = state.phase;
    });
  });
  push();
}
