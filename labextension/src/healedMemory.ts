/** What was healed in a notebook: kept while the page's tab is, for Undo after a restart or a reload. */

import { ISignal, Signal } from '@lumino/signaling';

import type { IEdit } from './edits';

/** One heal, as the kernel side tells it. */
export interface IHealedCell {
  run: string;
  cell: string;
  name: string;
  headline: string;
  title: string;
  /** What proves the fix, in plain text. */
  details: string;
  is_undone: boolean;
  undo: IEdit[];
}

/** Heals of a notebook that its tab remembers. */
const KEPT_HEALS = 50;

/** The heals of one notebook, the oldest first. `notebook` says where it is: one that was renamed is remembered by its new name from then on. */
export class HealedMemory {
  constructor(private readonly notebook: { path: string }) {}

  /** The kernel told of heals, or one was undone. */
  get changed(): ISignal<this, IHealedCell[]> {
    return this._changed;
  }

  get heals(): IHealedCell[] {
    return this._heals;
  }

  /**
   * Take in what the kernel tells; what this page recalls of earlier kernels stays, and so does what it took back: the kernel's word
   * may have been under way before it knew, and a kernel that restarts then never says more.
   */
  remember(told: IHealedCell[]): void {
    const runs = new Set(told.map(heal => heal.run));
    const undone = new Set(this._heals.filter(heal => heal.is_undone).map(heal => heal.run));
    const known = told.map(heal => ({ ...heal, is_undone: heal.is_undone || undone.has(heal.run) }));
    this.keep([...this._heals.filter(heal => !runs.has(heal.run)), ...known]);
  }

  recordUndone(run: string): void {
    this.keep(this._heals.map(heal => (heal.run === run ? { ...heal, is_undone: true } : heal)));
  }

  /** What this tab knew of the notebook's heals before it was loaded again. */
  recall(): IHealedCell[] {
    try {
      const stored: unknown = JSON.parse(window.sessionStorage.getItem(this.place) ?? '[]');
      this._heals = Array.isArray(stored) ? (stored as IHealedCell[]) : [];
    } catch {
      // nothing that can be read
    }
    return this._heals;
  }

  private keep(heals: IHealedCell[]): void {
    this._heals = heals.slice(-KEPT_HEALS);
    try {
      window.sessionStorage.setItem(this.place, JSON.stringify(this._heals));
    } catch {
      // the store is full or refused: then it lasts as long as the page
    }
    this._changed.emit(this._heals);
  }

  private get place(): string {
    return `jupyter_selfheal:${this.notebook.path}`;
  }

  private _heals: IHealedCell[] = [];
  private _changed = new Signal<this, IHealedCell[]>(this);
}
