/**
 * The review of a whole notebook: a copy of it is healed as a batch, and every fix shown with its diff, evidence and output. The
 * user accepts by keyboard; what is accepted is put in at once, and can be taken back at once.
 */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { NotebookPanel } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';

import { cellsOf, change, focusCell } from './apply';
import { makeButton } from './button';
import { drawDiff } from './diff';
import { IEdit, plan } from './edits';
import { healIcon } from './icon';
import { KernelLine } from './kernel';
import type { IDocument, IFix, ILeft } from './messages';
import { trans } from './texts';

const keys = (): string => trans.__('j next · k previous · a accept · x leave out · s accept all that are safe · Enter apply');

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = '', name = ''): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.textContent = text;
  node.className = name;
  return node;
}

const fixes = (count: number): string => (count === 1 ? trans.__('1 fix') : trans.__('%1 fixes', count));

/** The panel of one notebook's review. */
export class Review extends Widget {
  constructor(
    private readonly line: KernelLine,
    private readonly languages: IEditorLanguageRegistry | null,
    private readonly run: string
  ) {
    super();
    this.id = `jupyter-selfheal-review-${run}`;
    this.addClass('jp-SelfHeal-review');
    this.title.label = trans.__('Review: %1', line.panel.context.path.split('/').pop());
    this.title.icon = healIcon;
    this.title.closable = true;
    this.node.tabIndex = -1;
    this._status.setAttribute('role', 'status');
    this.node.append(this._status, this._controls, this._list);
    this._say(trans.__('Healing a copy of the notebook…'));
    this._controls.append(makeButton(trans.__('Stop'), trans.__('End it at the next cell'), () => this.line.send({ action: 'stop document', run })));
    this.node.addEventListener('keydown', event => this._press(event));
    line.document.connect(this._take, this);
  }

  dispose(): void {
    this.line.document.disconnect(this._take, this);
    if (!this._isDone) {
      this.line.send({ action: 'stop document', run: this.run });
    }
    super.dispose();
  }

  protected onActivateRequest(): void {
    this.node.focus();
  }

  /** The focus goes on within the panel; it is never taken from where the user types. */
  private _takeFocus(node: HTMLElement): void {
    const at = document.activeElement;
    if (at === null || at === document.body || this.node.contains(at)) {
      node.focus();
    }
  }

  private _take(_: KernelLine, told: IDocument): void {
    if (told.run !== this.run) {
      return;
    }
    if (!told.fixes) {
      this._say(trans.__('Healing a copy of the notebook: cell %1 of %2: %3', told.at, told.of, told.doing));
      return;
    }
    this._isDone = true;
    this._fixes = told.fixes;
    this._accepted = told.fixes.map(() => null);
    this._draw(told);
  }

  private _draw(told: IDocument): void {
    this._rows = this._fixes.map((fix, at) => this._drawFix(fix, at));
    const left = (told.left ?? []).map(cell => this._drawLeft(cell));
    const notes = (told.notes ?? []).map(note => element('p', note, 'jp-SelfHeal-review-note'));
    this._list.replaceChildren(...this._rows, ...(left.length ? [element('h3', trans.__('Needs your attention'))] : []), ...left, ...notes);
    if (this._fixes.length) {
      const acceptSafe = makeButton(trans.__('Accept all that are safe'), trans.__('Those that keep the meaning of the code (s)'), () => this._acceptSafe());
      acceptSafe.disabled = !this._fixes.some(fix => fix.safe);
      this._controls.replaceChildren(
        acceptSafe,
        (this._apply = makeButton(trans.__('Apply'), trans.__('Put the accepted fixes into the notebook (Enter)'), () => this._applyAccepted())),
        element('span', keys(), 'jp-SelfHeal-review-keys')
      );
      this._takeFocus(this._rows[0]);
    } else {
      this._controls.replaceChildren();
    }
    this._tell(told.error || '');
  }

  private _tell(words = ''): void {
    const accepted = this._accepted.filter(Boolean).length;
    const safe = this._fixes.filter(fix => fix.safe).length;
    this._say(words || (this._fixes.length ? trans.__('%1, %2 of them safe; %3 accepted', fixes(this._fixes.length), safe, accepted) : trans.__('No cell needs a fix that was found.')));
    if (this._apply) {
      this._apply.textContent = accepted ? trans.__('Apply %1', fixes(accepted)) : trans.__('Apply');
      this._apply.disabled = !accepted;
    }
  }

  private _say(words: string): void {
    this._status.textContent = words;
  }

  private _drawFix(fix: IFix, at: number): HTMLElement {
    const row = element('article');
    row.tabIndex = 0;
    row.setAttribute('aria-label', `${fix.name}: ${fix.title}`);
    const head = element('h3');
    head.append(this._link(fix.cell, fix.name), ` ${fix.title.replace(/`/g, '')}`);
    const facts = element('p', '', 'jp-SelfHeal-review-facts');
    facts.textContent = trans.__('%1 · %2', fix.safe ? trans.__('Safe') : fix.proven ? trans.__('Runs in the whole notebook; check it first') : trans.__('Offered, not applied by itself'), fix.proof);
    row.append(head, facts);
    if (fix.why_not) {
      row.append(element('p', trans.__('Why not: %1', fix.why_not)));
    }
    for (const edit of fix.edits) {
      if (edit.label) {
        row.append(element('h4', edit.label));
      }
      if (edit.kind !== 'run') {
        const host = row.appendChild(element('div'));
        void drawDiff(host, edit.old ?? '', edit.source ?? '', this.languages);
      }
    }
    const details = element('details');
    const evidence = element('ul');
    evidence.append(...fix.evidence.map(reason => element('li', reason.replace(/`/g, ''))));
    details.append(element('summary', trans.__('Evidence')), evidence);
    const outputs = element('dl');
    outputs.append(element('dt', trans.__('Before')), element('dd', fix.before), element('dt', trans.__('After')), element('dd', fix.after || trans.__('no output')));
    const choices = element('div', '', 'jp-SelfHeal-review-choices');
    choices.append(makeButton(trans.__('Accept'), trans.__('Accept this fix (a)'), () => this._choose(at, true)), makeButton(trans.__('Leave out'), trans.__('Leave this fix out (x)'), () => this._choose(at, false)));
    row.append(details, outputs, choices);
    return row;
  }

  private _drawLeft(left: ILeft): HTMLElement {
    const row = element('p', '', 'jp-SelfHeal-review-left');
    row.append(this._link(left.cell, left.name), ` ${left.headline}: ${left.reason.replace(/`/g, '')}`);
    return row;
  }

  private _link(id: string, name: string): HTMLElement {
    return makeButton(name, trans.__('Go to the cell'), () => {
      const { content } = this.line.panel;
      const cell = content.widgets.find(candidate => candidate.model.id === id);
      if (cell) {
        void content.scrollToCell(cell);
        focusCell(content, cell);
      }
    });
  }

  private _press(event: KeyboardEvent): void {
    const isTyping = (event.target as HTMLElement).closest('button, summary') && event.key === 'Enter';
    const at = this._rows.findIndex(row => row.contains(document.activeElement));
    const act = {
      j: () => this._go(at + 1),
      k: () => this._go(at - 1),
      a: () => at >= 0 && this._choose(at, true),
      x: () => at >= 0 && this._choose(at, false),
      s: () => this._acceptSafe(),
      Enter: () => this._applyAccepted()
    }[event.key];
    if (act && !this._isApplied && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      act();
    }
  }

  private _go(to: number): void {
    this._rows[Math.max(0, Math.min(to, this._rows.length - 1))]?.focus();
  }

  private _choose(at: number, accepted: boolean): void {
    this._accepted[at] = accepted;
    this._rows[at].dataset.accepted = String(accepted);
    this._tell();
    if (this._rows[at].contains(document.activeElement)) {
      this._go(at + 1);
    }
  }

  private _acceptSafe(): void {
    this._fixes.forEach((fix, at) => {
      if (fix.safe) {
        this._accepted[at] = true;
        this._rows[at].dataset.accepted = 'true';
      }
    });
    this._tell();
  }

  /** Put in what was accepted, in order and as one change; a fix that does not fit any longer is named and left out. */
  private _applyAccepted(): void {
    const { panel } = this.line;
    const chosen = this._fixes.filter((_, at) => this._accepted[at]);
    if (!chosen.length) {
      return;
    }
    const undo: IEdit[] = [];
    const refused: string[] = [];
    panel.content.model!.sharedModel.transact(() => {
      for (const fix of chosen) {
        const edits = fix.edits.filter(edit => edit.kind !== 'run');
        const why = misfit(panel, fix.cell, edits);
        if (why) {
          refused.push(`${fix.name}: ${why}`);
        } else {
          undo.unshift(...change(panel.content, fix.cell, edits));
        }
      }
    });
    this._isApplied = true;
    this._list.querySelectorAll('.jp-SelfHeal-review-choices').forEach(choices => choices.remove());
    const put = chosen.length - refused.length;
    this._controls.replaceChildren(
      makeButton(trans.__('Undo'), trans.__('Take all of it back'), () => this._takeBack(undo)),
      makeButton(trans.__('Restart and run all'), trans.__('Restart the kernel and run the notebook from the top'), () => void this.restart())
    );
    this._say([trans.__('%1 put into the notebook.', fixes(put)), ...refused].join(' '));
    this._apply = null;
    this._controls.querySelector('button')?.focus();
    this.node.scrollTop = 0; // what was put in is said above the button
  }

  private _takeBack(undo: IEdit[]): void {
    const { panel } = this.line;
    const why = misfit(panel, '', undo, true);
    if (!why) {
      panel.content.model!.sharedModel.transact(() => void change(panel.content, '', undo));
    }
    this._controls.replaceChildren();
    this._say(why || trans.__('Undone: the notebook is as it was.'));
    this.node.focus();
    this.node.scrollTop = 0;
  }

  /** Restarts the kernel and runs all; set by whoever opens the panel. */
  restart: () => Promise<unknown> = () => Promise.resolve();

  private _isDone = false;
  private _isApplied = false;
  private _fixes: IFix[] = [];
  private _accepted: (boolean | null)[] = [];
  private _rows: HTMLElement[] = [];
  private _apply: HTMLButtonElement | null = null;
  private readonly _status = element('p', '', 'jp-SelfHeal-review-status');
  private readonly _controls = element('div', '', 'jp-SelfHeal-review-controls');
  private readonly _list = element('div');
}

/** Why edits do not fit the notebook as it is; empty where they do. */
function misfit(panel: NotebookPanel, failing: string, edits: IEdit[], undo = false): string {
  const request = { action: 'apply' as const, heal: '', patch: '', run: false, resume: false, undo, edits, result: null };
  const { ok, message } = plan(cellsOf(panel), request, failing, panel.context.contentsModel?.writable === false);
  return ok ? '' : message;
}

/** Begin: the open document, as it is now, goes to the kernel side, and the panel opens beside it. */
export async function openReview(app: JupyterFrontEnd, line: KernelLine, languages: IEditorLanguageRegistry | null): Promise<void> {
  const { panel } = line;
  const run = `review-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const review = new Review(line, languages, run);
  review.restart = async () => {
    app.shell.activateById(panel.id);
    await app.commands.execute('notebook:restart-run-all');
  };
  const isLab = app.name === 'JupyterLab';
  app.shell.add(review, isLab ? 'main' : 'right', isLab ? { mode: 'split-right', ref: panel.id } : undefined);
  app.shell.activateById(review.id);
  line.send({ action: 'heal document', run, content: JSON.stringify(panel.content.model!.toJSON()), path: panel.context.path });
}
