/** A line of ours, run in the kernel for one cell. */

import { showErrorMessage } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';

import { KernelLine } from './kernel';
import { trans } from './texts';

/** Run a line of ours in the kernel and put what it shows below the cell's own output. */
export async function runLine(line: KernelLine, cell: CodeCell, code: string, silent = false): Promise<void> {
  const kernel = line.panel.sessionContext.session?.kernel;
  if (!kernel) {
    void showErrorMessage('Self-heal', trans.__('This notebook has no kernel: start one first.'));
    return;
  }
  const { outputs } = cell.model;
  const shown = new Map<string, number>();
  // Not disposed of when done: a card is renewed by its display id for as long as it is shown.
  const future = kernel.requestExecute({ code, store_history: false, silent }, false);
  outputs.changed.connect((_, change) => {
    if (change.type === 'remove' || change.type === 'clear') {
      future.dispose();
    }
  });
  future.onIOPub = message => {
    const type = message.header.msg_type;
    const { transient, ...content } = message.content as any;
    const id = transient?.display_id;
    if (type === 'update_display_data' && shown.has(id)) {
      outputs.set(shown.get(id)!, { ...content, output_type: 'display_data' });
    } else if (type === 'display_data' || type === 'stream' || type === 'error') {
      const length = outputs.add({ ...content, output_type: type });
      if (id) {
        shown.set(id, length - 1);
      }
    }
  };
  await future.done;
}
