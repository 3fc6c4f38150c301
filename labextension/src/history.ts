/** What was healed in this notebook's session, each with a link to its cell and its Undo: done exactly, or refused with the reason. */

import { JupyterFrontEnd } from '@jupyterlab/application';
import { Cell, CodeCell } from '@jupyterlab/cells';
import { Widget } from '@lumino/widgets';

import { focusCell, isHere, showLine, takeBack } from './apply';
import { makeButton } from './button';
import type { IRequest } from './edits';
import { hasLine } from './healedLine';
import { healIcon } from './icon';
import type { HealedMemory, IHealedCell } from './healedMemory';
import { KernelLine } from './kernel';
import { trans } from './texts';

const toUndo = (heal: IHealedCell): IRequest =>
  ({ action: 'apply', heal: heal.run, patch: '', run: false, resume: false, undo: true, edits: heal.undo, result: null });

const hasRunWell = ({ model }: CodeCell): boolean =>
  model.executionState === 'idle' && !model.outputs.toJSON().some(output => output.output_type === 'error');

/** A page that was loaded again says below each healed cell, once, what it said before: where the fix is still in the cell, and ran. */
export function showLinesAgain(line: KernelLine, healed: IHealedCell[]): void {
  for (const heal of healed) {
    const cell = line.panel.content.widgets.find(candidate => candidate.model.id === heal.cell);
    if (cell instanceof CodeCell && !hasLine(cell) && hasRunWell(cell) && !heal.is_undone && heal.undo.length && isHere(line.panel, heal.undo)) {
      showLine(line, cell, toUndo(heal), heal.title, heal.details);
    }
  }
}

/** The panel of one notebook's history; drawn anew when a heal changes. */
export class History extends Widget {
  constructor(private readonly line: KernelLine) {
    super();
    this.id = `jupyter-selfheal-history-${line.panel.id}`;
    this.addClass('jp-SelfHeal-review');
    this.addClass('jp-SelfHeal-history');
    this.title.label = trans.__('Healed: %1', line.panel.context.path.split('/').pop());
    this.title.icon = healIcon;
    this.title.closable = true;
    this.node.tabIndex = -1;
    this._status.setAttribute('role', 'status');
    this._status.className = 'jp-SelfHeal-review-status';
    this.node.append(this._status, this._list);
    line.healed.changed.connect(this._draw, this);
    line.changed.connect(this.ask, this);
    line.panel.disposed.connect(() => this.dispose());
    this._draw(line.healed, line.healed.heals);
    this.ask();
  }

  dispose(): void {
    this.line.healed.changed.disconnect(this._draw, this);
    this.line.changed.disconnect(this.ask, this);
    super.dispose();
  }

  /** Have the kernel side tell what was healed. */
  ask(): void {
    this.line.send({ action: 'history' });
  }

  protected onActivateRequest(): void {
    this.node.focus();
  }

  private _draw(_: HealedMemory, healed: IHealedCell[]): void {
    const told = JSON.stringify(healed);
    if (told === this._told) {
      return;
    }
    this._told = told;
    this._status.textContent = healed.length ? trans.__('Healed in this notebook, the newest first') : trans.__('Nothing was healed in this notebook yet.');
    this._list.replaceChildren(...healed.map((heal, at) => this._drawHeal(heal, at + 1)).reverse());
  }

  private _drawHeal(heal: IHealedCell, number: number): HTMLElement {
    const row = document.createElement('article');
    const head = document.createElement('h3');
    const said = document.createElement('p');
    said.setAttribute('role', 'status');
    head.append(makeButton(heal.name, trans.__('Go to the cell'), () => this._goTo(heal)), ` ${heal.title.replace(/`/g, '')}`);
    said.textContent = heal.is_undone ? trans.__('Undone: the old source is back.') : heal.headline;
    row.append(head, said);
    if (!heal.is_undone && heal.undo.length) {
      row.append(makeButton(trans.__('Undo'), trans.__('Put the old source back'), () => this._undo(heal, said)));
    } else if (!heal.is_undone) {
      said.textContent = trans.__('%1 (applied by a command: `%heal undo %2` takes it back)', heal.headline, number);
    }
    return row;
  }

  private _cellOf(heal: IHealedCell): Cell | undefined {
    return this.line.panel.content.widgets.find(cell => cell.model.id === heal.cell);
  }

  private _goTo(heal: IHealedCell): void {
    const cell = this._cellOf(heal);
    if (cell) {
      void this.line.panel.content.scrollToCell(cell);
      focusCell(this.line.panel.content, cell);
    }
  }

  private _undo(heal: IHealedCell, said: HTMLElement): void {
    const cell = this._cellOf(heal);
    said.textContent = cell ? takeBack(this.line, cell, toUndo(heal)).message : trans.__('The cell is no longer in the notebook.');
  }

  private _told = '';
  private readonly _status = document.createElement('p');
  private readonly _list = document.createElement('div');
}

/** Open the panel beside the notebook, or go to it. */
export function openHistory(app: JupyterFrontEnd, line: KernelLine): void {
  const id = `jupyter-selfheal-history-${line.panel.id}`;
  const isLab = app.name === 'JupyterLab';
  const there = [...app.shell.widgets(isLab ? 'main' : 'right')].some(widget => widget.id === id);
  if (!there) {
    app.shell.add(new History(line), isLab ? 'main' : 'right', isLab ? { mode: 'split-right', ref: line.panel.id } : undefined);
  }
  app.shell.activateById(id);
}
