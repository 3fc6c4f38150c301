/** What cells showed before a fix was put in and run: it comes back with the old source. Kept by this page alone. */

import { CodeCell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';

import { isCard } from './outputs';

interface IShown {
  outputs: any[];
  count: number | null;
}

const shownBefore = new WeakMap<NotebookPanel, Map<string, Map<string, IShown>>>();

const codeCells = (panel: NotebookPanel): CodeCell[] =>
  panel.content.widgets.filter((cell): cell is CodeCell => cell instanceof CodeCell);

/** Note what these cells show now, right before the heal changes them. Its card is not noted: its buttons would be of no use. */
export function noteOutputs(panel: NotebookPanel, heal: string, ids: string[]): void {
  const noted = new Map<string, IShown>();
  for (const { model } of codeCells(panel)) {
    if (ids.includes(model.id)) {
      noted.set(model.id, { outputs: model.outputs.toJSON().filter(output => !isCard(output)), count: model.executionCount });
    }
  }
  const heals = shownBefore.get(panel) ?? new Map<string, Map<string, IShown>>();
  shownBefore.set(panel, heals.set(heal, noted));
}

/** Put that back into the cells that have run since. Returns them; one that runs at the moment is left alone. */
export function restoreOutputs(panel: NotebookPanel, heal: string): CodeCell[] {
  const noted = shownBefore.get(panel)?.get(heal);
  const restored = codeCells(panel).filter(({ model }) => {
    const was = noted?.get(model.id);
    return was && was.count !== model.executionCount && model.executionState !== 'running';
  });
  for (const { model } of restored) {
    const { outputs, count } = noted!.get(model.id)!;
    model.outputs.fromJSON(outputs);
    model.executionCount = count;
  }
  return restored;
}
