/** What goes over the line between the page and the kernel. */

import type { IEdit } from './edits';

/** What will become of one cell, as the kernel side says it. */
export interface IMark {
  cell: string;
  outcome: string;
  detail: string;
  fix: string;
}

export interface IState {
  /** idle, healing, proposed, paused, closed or applied; `off` where the extension is not loaded. */
  phase: string;
  status: string;
  cost: string;
  run: string;
  cell: string;
  on: boolean;
  /** The cell of the newest fix that waits for its user, also where the last heal has ended; empty where none does. */
  offered?: string;
  /** How the kernel that was here before died: the cell that ran, and what is known; empty where it ended well. */
  died?: { cell?: string; text?: string };
  /** Whether its card is shown somewhere: what failed in no cell (a widget's callback, used later) waits for a page to show it. */
  placed?: boolean;
  /** Safe fixes are approved without asking. */
  auto?: boolean;
  /** Looking ahead: whether it is on, whether a look goes on or why it could not begin, and what is known of the cells below. */
  ahead?: { on: boolean; looking: boolean; note?: string; marks: IMark[] };
  /** The number of the message that this answers, if a page asked to be told. */
  answered?: string;
  /** What was asked for with that number is granted. */
  granted?: boolean;
  /** Not granted, but it may be when asked for again after so many seconds. */
  wait?: number;
}

/** What a command of the user's has the page do: put a fix into its cell, or take it back. */
export interface IAsked {
  heal: string;
  cell: string;
  how: 'run' | 'resume' | 'undo';
  patch: string;
  edits: IEdit[];
  title?: string;
  details?: string;
}

/** A fix of the healed copy, as the review shows it. */
export interface IFix {
  cell: string;
  name: string;
  headline: string;
  title: string;
  /** It keeps the evident meaning of the code, was proven, and survived a clean run of the whole notebook. */
  safe: boolean;
  proven: boolean;
  why_not: string;
  proof: string;
  evidence: string[];
  edits: (IEdit & { label?: string })[];
  before: string;
  after: string;
}

/** A failure of the copy that no fix was found for. */
export interface ILeft {
  cell: string;
  name: string;
  headline: string;
  reason: string;
}

/** The heal of the whole notebook: how far it is, or (with `fixes`) what came of it. */
export interface IDocument {
  run: string;
  at?: number;
  of?: number;
  doing?: string;
  fixes?: IFix[];
  left?: ILeft[];
  notes?: string[];
  error?: string;
}

/** The extension is not loaded there. */
export const OFF: IState = { phase: 'off', status: 'not loaded', cost: '$0', run: '', cell: '', on: false };
