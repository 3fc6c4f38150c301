/** The Settings editor's values, sent to the kernel side as `c.SelfHeal.*`. */

import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { Lines } from './lines';

/** The one setting that is this page's own. */
const ALWAYS_ON = 'always_on';

export function pushSettings(settings: ISettingRegistry.ISettings, tracker: INotebookTracker, lines: Lines): void {
  const isAlwaysOn = (): boolean => settings.composite[ALWAYS_ON] === true;
  const values = (): { [key: string]: unknown } => {
    const { [ALWAYS_ON]: _, ...ofKernel } = settings.user as { [key: string]: unknown };
    return ofKernel;
  };
  const push = (): void => {
    tracker.forEach(panel => {
      lines.of(panel).send({ action: 'settings', values: values() });
      lines.of(panel).useAlways(isAlwaysOn());
    });
  };
  settings.changed.connect(push);
  tracker.widgetAdded.connect((_, panel) => {
    let was = 'off';
    lines.of(panel).useAlways(isAlwaysOn());
    lines.of(panel).changed.connect((line, state) => {
      if (was === 'off' && state.phase !== 'off') {
        line.send({ action: 'settings', values: values() });
      }
      was = state.phase;
    });
  });
  push();
}
