/** "Show what would be sent to a model": what the kernel side says of the failing cell, in a dialog. */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import { KernelMessage } from '@jupyterlab/services';
import { Widget } from '@lumino/widgets';

import { KernelLine } from './kernel';
import { trans } from './texts';

/** Show it, for that cell or (null) for what failed last. The dialog is there at once, its text when the kernel has said it. */
export async function showSent(line: KernelLine, cell: CodeCell | null): Promise<void> {
  const kernel = line.panel.sessionContext.session!.kernel!;
  const text = document.createElement('pre');
  text.tabIndex = 0;
  text.setAttribute('role', 'region');
  text.setAttribute('aria-label', trans.__('What goes to a model'));
  text.setAttribute('aria-live', 'polite');
  text.textContent = trans.__('Asking the kernel. Nothing is sent to a model for this…');
  const body = new Widget();
  body.addClass('jp-SelfHeal-sent');
  body.node.append(text);
  const closed = showDialog({ title: trans.__('What goes to a model'), body, buttons: [Dialog.okButton({ label: trans.__('Close') })] });
  const future = kernel.requestExecute({
    code: '%heal sent' + (cell ? ` --cell ${cell.model.id}` : ''), store_history: false, stop_on_error: false
  });
  let told = '';
  future.onIOPub = message => {
    if (KernelMessage.isStreamMsg(message)) {
      text.textContent = told += message.content.text;
    } else if (KernelMessage.isErrorMsg(message)) {
      text.textContent = `${message.content.ename}: ${message.content.evalue}`;
    }
  };
  void future.done.catch(() => (text.textContent = trans.__('The kernel is gone.')));
  await closed;
}
