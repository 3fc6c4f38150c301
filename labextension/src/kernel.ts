/**
 * The line to the kernel side: two comms that the front end opens. What the user chose goes by one on which the kernel never
 * sends, so that ipykernel answers it on a subshell, while a cell runs; how a heal stands comes by the other.
 */

import { CodeCell } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { ISignal, Signal } from '@lumino/signaling';

import type { IEdit } from './edits';
import { HealedMemory, IHealedCell } from './healedMemory.js';
import { IAsked, IDocument, IState, OFF } from './messages.js';
import { trans } from './texts.js';

export const TARGET = 'jupyter_selfheal';

const randomName = (): string => Math.random().toString(36).slice(2);

/** One notebook's connection. Reconnects on restart and on a new kernel; knows whether the extension is loaded there. */
export class KernelLine {
  constructor(readonly panel: NotebookPanel) {
    this.healed = new HealedMemory(panel.context);
    panel.sessionContext.kernelChanged.connect((_, change) => {
      if (change.oldValue) {
        this.wasLoaded ||= this.isOn;
        this.loseCards();
      }
      this.wasLoaded ||= this._isAlwaysOn;
      this.attempt = null;
      this.attach(change.newValue);
    });
    panel.sessionContext.statusChanged.connect((_, status) => {
      if (status === 'restarting' || status === 'autorestarting' || status === 'dead') {
        this.wasLoaded ||= this.isOn;
        this.attempt = null;
        this.lose();
        this.loseCards();
      } else if (status === 'idle') {
        this.loadWhenIdle();
      }
    });
    panel.sessionContext.connectionStatusChanged.connect((_, status) => {
      if (status === 'connected') {
        // what was asked before a restart connects anew went to the kernel that is gone, and nobody answers it
        this.attempt = null;
        void this.checkLine();
      }
    });
    this.attach(panel.sessionContext.session?.kernel ?? null);
  }

  /** The user wants healing in every notebook (a setting). */
  private _isAlwaysOn = false;

  /** Load the extension in this and every later kernel of the notebook, once that is idle. */
  useAlways(wanted: boolean): void {
    this._isAlwaysOn = wanted;
    if (wanted && !this.loaded) {
      this.wasLoaded = true;
      this.loadWhenIdle();
    }
  }

  private loadWhenIdle(): void {
    if (this.panel.sessionContext.session?.kernel?.status === 'idle') {
      this.loadIfWanted();
    }
  }

  private loadIfWanted(): void {
    const language = this.panel.content.model?.defaultKernelLanguage;
    if (this.wasLoaded && !this.attempt && (!language || language === 'python' || language === 'ipython')) {
      void this.loadAgain();
    }
  }

  /**
   * Ask the kernel that is connected now whether it knows the line. A kernel that ends may still say hello, and a second restart tells
   * of itself no more: a line that only the kernel before knew is lost. Who answers is free, whatever word of its status was missed.
   */
  private async checkLine(): Promise<void> {
    const kernel = this.panel.sessionContext.session?.kernel;
    const comm = this._comm;
    const wasOn = this.isOn;
    if (!kernel || !(comm || this.wasLoaded)) {
      return;
    }
    const reply = await kernel.requestCommInfo({ target_name: TARGET }).catch(() => null); // null: another restart; it connects again
    if (reply?.content.status !== 'ok' || kernel !== this.panel.sessionContext.session?.kernel) {
      return;
    }
    if (comm && !(comm.commId in reply.content.comms) && (this._comm === comm || !this._comm)) {
      this.wasLoaded ||= wasOn;
      this.attempt = null;
      this.lose();
      this.loseCards();
    }
    this.loadIfWanted();
  }

  /** Healing is on there, or the line is new and the kernel has not said yet. */
  private get isOn(): boolean {
    return this.loaded && (this._state.on || this._state === OFF);
  }

  /**
   * Load the extension once more. A restart ends the attempt, wherever it is, and the kernel is asked again once it is idle (a restart
   * tells of itself twice, and the second word may come late). What it answers is final, or it would be asked for ever.
   */
  private async loadAgain(): Promise<void> {
    const attempt = (this.attempt = {});
    const isCancelled = await this.load().then(() => false, () => true);
    if (this.attempt === attempt) {
      this.attempt = null;
      this.wasLoaded = isCancelled;
      if (isCancelled) { // the next kernel may have been idle before this one's end was heard of
        void this.checkLine();
      }
    }
  }

  private attempt: object | null = null;

  /** Healing was on in the kernel that was here before: in the next one it is loaded again. */
  private wasLoaded = false;

  /** Id of the cell that failed last on this page: the one that `%heal` is about. Empty where this page has seen none fail. */
  lastFailed = '';

  /** How far healing the whole notebook is; empty while it is not going on. */
  get progress(): string {
    return this._progress;
  }

  set progress(words: string) {
    this._progress = words;
    this._changed.emit(this._state);
  }

  get state(): IState {
    return this._state;
  }

  get loaded(): boolean {
    return this._comm !== null && !this._comm.isDisposed;
  }

  /** Word of the heal of the whole notebook. */
  get document(): ISignal<this, IDocument> {
    return this._document;
  }

  /** What was healed in this notebook, of kernels before this one too. */
  readonly healed: HealedMemory;

  /** A command asks for a fix to be put in, or taken back. */
  get asked(): ISignal<this, IAsked> {
    return this._asked;
  }

  /** A cell shows again what it showed before a fix that was undone. */
  get shownAgain(): ISignal<this, CodeCell> {
    return this._shownAgain;
  }

  showAgain(cells: CodeCell[]): void {
    cells.forEach(cell => this._shownAgain.emit(cell));
  }

  get changed(): ISignal<this, IState> {
    return this._changed;
  }

  /** Send an action; false where the extension is not loaded in the kernel. */
  send(content: { [key: string]: any }): boolean {
    if (!this.loaded) {
      return false;
    }
    this._comm!.send(content);
    return true;
  }

  /** Have the kernel's main thread do it, in order with the cells; false where there is no kernel. */
  onMainThread(message: { run: string; action: string; patch: string; text: string }): boolean {
    const kernel = this.panel.sessionContext.session?.kernel;
    const words = [message.run, message.action, message.patch, message.text].map(text => JSON.stringify(text));
    const code = `get_ipython()._jupyter_selfheal.on_main(${words.join(', ')})`;
    kernel?.requestExecute({ code, silent: true, store_history: false, stop_on_error: false });
    return Boolean(kernel);
  }

  /** Tell the kernel the notebook as it is: order, ids, sources, stored outputs of code cells. Stays on this machine. */
  tellContext(number = ''): boolean {
    const model = this.panel.content.model;
    if (!this.loaded || !model) {
      return false;
    }
    const cells = [];
    for (const cell of model.cells) {
      const raw = cell.toJSON() as any;
      const outputs = (raw.outputs ?? []).filter((output: any) => JSON.stringify(output).length < 20000);
      cells.push({
        id: cell.id, kind: cell.type, source: cell.sharedModel.getSource(), outputs,
        tags: cell.getMetadata('tags') ?? [], selfheal: cell.getMetadata('selfheal') ?? {}
      });
    }
    return this.send({ action: 'context', cells, path: this.panel.context.path, number });
  }

  /** The same, and wait until it is known there, for the state as it is then: it goes by another shell than a cell does, and may come after it. */
  async contextKnown(): Promise<IState | null> {
    return this.answer(number => this.tellContext(number), 10_000);
  }

  /**
   * Whether this page may carry an approval out: of all that show the heal, the kernel names one.
   *
   * The answer comes at once where ipykernel has subshells, else when the kernel has done what it is at. Where another page was
   * named and nothing comes of it (it was closed, or it hangs), this one is soon named in its place. Null: no answer came within
   * `patience` milliseconds; the claim stands.
   */
  async claim(heal: string, patch: string, patience: number): Promise<boolean | null> {
    const kernel = this.panel.sessionContext.session?.kernel;
    if (kernel) {
      await this.open(kernel);
    }
    for (;;) {
      const state = await this.answer(number => this.send({ action: 'claim', run: heal, patch, page: this._page, number }), patience);
      if (!state) {
        return this.loaded ? null : false;
      }
      if (state.granted || !state.wait) {
        return state.granted === true;
      }
      await new Promise(resolve => window.setTimeout(resolve, state.wait! * 1000));
    }
  }

  /**
   * Tell that the cells were changed, and what takes that back. True: it was this page's to do, and the cells may run; false: it
   * was not, or is no longer; null: the line is lost.
   */
  async applied(heal: string, patch: string, resume: boolean, undo: IEdit[]): Promise<boolean | null> {
    const state = await this.answer(number =>
      this.send({ action: 'applied', run: heal, patch, resume, undo, page: this._page, number })
    );
    return state && state.granted === true;
  }

  /** Send a message with a number, and wait for the state that answers it; null where the line is lost or patience ends. */
  private answer(send: (number: string) => boolean, patience = 0): Promise<IState | null> {
    const number = randomName();
    return new Promise(resolve => {
      const done = (answer: IState | null): void => {
        window.clearTimeout(timer);
        this._changed.disconnect(look);
        resolve(answer);
      };
      const look = (_: this, state: IState): void => {
        if (state.answered === number) {
          done(state);
        } else if (state.phase === 'off') {
          done(null);
        }
      };
      const timer = patience ? window.setTimeout(() => done(null), patience) : 0;
      this._changed.connect(look);
      if (!send(number)) {
        done(null);
      }
    });
  }

  /** Load the extension in the kernel where it is not there, and open the line. Returns why not; empty where it is done. */
  async load(): Promise<string> {
    const kernel = this.panel.sessionContext.session?.kernel;
    if (!kernel) {
      return trans.__('This notebook has no kernel: start one first.');
    }
    if (this.loaded) {
      await this._opening;
      return '';
    }
    const future = kernel.requestExecute({ code: '%load_ext jupyter_selfheal', store_history: false, silent: false });
    const content = (await future.done)?.content as any;
    if (content?.ename === 'ModuleNotFoundError') {
      return trans.__('jupyter_selfheal is not installed in this kernel: run `%pip install jupyter-selfheal` in a cell.');
    }
    if (content?.status !== 'ok') {
      return trans.__('jupyter_selfheal could not be loaded in this kernel: %1: %2', content?.ename ?? 'aborted', content?.evalue ?? trans.__('a cell failed before'));
    }
    await this.open(kernel);
    return this.loaded ? '' : trans.__('The kernel does not answer.');
  }

  private attach(kernel: Kernel.IKernelConnection | null): void {
    this.lose();
    if (!kernel) {
      return;
    }
    kernel.registerCommTarget(TARGET + '.hello', () => void this.open(kernel));
    void kernel.info.then(() => this.look(kernel)).catch(() => undefined);
  }

  /** After a reload of the page the kernel may have the extension already. */
  private async look(kernel: Kernel.IKernelConnection): Promise<void> {
    const reply = await kernel.requestCommInfo({ target_name: TARGET + '.hello' });
    if (reply.content.status === 'ok' && Object.keys(reply.content.comms).length > 0) {
      await this.open(kernel);
    }
  }

  /** Open the line, once; done when the kernel side has told how it stands. */
  private open(kernel: Kernel.IKernelConnection): Promise<void> {
    if (!this.loaded) {
      this._opening = this.connect(kernel);
    }
    return this._opening;
  }

  private async connect(kernel: Kernel.IKernelConnection): Promise<void> {
    const comm = (this._comm = kernel.createComm(TARGET));
    // Healing was loaded again, or switched off: what this page shows belongs to a session that has ended.
    comm.onClose = () => {
      if (this._comm === comm) {
        this.lose();
        this.loseCards();
      }
    };
    if (kernel.supportsSubshells) {
      await Promise.race([(comm as any).subshellStarted, new Promise(resolve => window.setTimeout(resolve, 2000))]);
    }
    if (comm.isDisposed || this._comm !== comm) {
      return;
    }
    comm.open({});
    const state = kernel.createComm(TARGET + '.state');
    const told = new Promise<void>(resolve => {
      state.onMsg = (message: KernelMessage.ICommMsgMsg) => {
        const { document: told, history, asked } = message.content.data as { document?: any; history?: any; asked?: any };
        if (asked) {
          this._asked.emit(asked as IAsked);
          return;
        }
        if (history) {
          this.healed.remember(history as IHealedCell[]);
          return;
        }
        if (told) {
          this._document.emit(told as IDocument);
          return;
        }
        this._state = message.content.data as any as IState;
        this._changed.emit(this._state);
        resolve();
      };
    });
    state.open({});
    this.send({ action: 'history' });
    this.tellContext();
    await Promise.race([told, new Promise(resolve => window.setTimeout(resolve, 10_000))]);
  }

  /** What the cards stand for went with the kernel: they keep their text and lose their buttons. */
  private loseCards(): void {
    this.lastFailed = '';
    for (const cell of this.panel.content?.widgets ?? []) {
      cell.node.querySelectorAll('.jupyter-selfheal').forEach(card => card.dispatchEvent(new CustomEvent('jupyter-selfheal-lost')));
    }
  }

  private lose(): void {
    this._comm = null;
    this._state = OFF;
    this._changed.emit(OFF);
  }

  private readonly _page = randomName();
  private _opening: Promise<void> = Promise.resolve();
  private _comm: Kernel.IComm | null = null;
  private _progress = '';
  private _state: IState = OFF;
  private _document = new Signal<this, IDocument>(this);
  private _asked = new Signal<this, IAsked>(this);
  private _shownAgain = new Signal<this, CodeCell>(this);
  private _changed = new Signal<this, IState>(this);
}
