/**
 * The fixed texts of the card, which the kernel side and its widget write in English: named here for the tools that collect texts, and
 * translated where JupyterLab has a language pack. What rules say of a failure stays English.
 */

import { trans as bundle } from './texts';

/** Marks a text for those tools, and leaves it. */
const trans = { __: (text: string): string => text };

const TEXTS = [
  trans.__('Output: before and after'), trans.__('Output before'), trans.__('Output after'), trans.__('Output after Resume'),
  trans.__('Before'), trans.__('After'), trans.__('After (only what was left of the cell was run)'), trans.__('After Resume'), trans.__('no output'), trans.__('Runs; result unconfirmed'), trans.__('Not tested'),
  trans.__('Explain'), trans.__('Details'), trans.__('More'), trans.__('Attempts'), trans.__('What to do'), trans.__('First use'), trans.__('Go to this cell'),
  trans.__('Previous candidate'), trans.__('Next candidate'), trans.__('OK'), trans.__('Cancel'), trans.__('Copied.'), trans.__('The browser refused to copy.'),
  trans.__('Apply & run'), trans.__('Apply'), trans.__('Resume from the failing statement'), trans.__('Edit'), trans.__('Your version of the cell'),
  trans.__('Test my version'), trans.__('Copy'), trans.__('Reject'), trans.__('Why? (may be empty)'), trans.__('Try again'), trans.__('A hint for the next attempt'),
  trans.__('Should be…'), trans.__('Show the fix'), trans.__('Allow this trial'), trans.__('Continue'), trans.__('Raise the budget'), trans.__('New budget in US dollars'),
  trans.__('Give a hint'), trans.__('Agree & ask'), trans.__('Ask the model'), trans.__('Dismiss'), trans.__('Stop'), trans.__('Undo'), trans.__('Check the cells below')
];

/** Each text as the user's language has it. */
export const cardTexts = (): { [english: string]: string } => Object.fromEntries(TEXTS.map(text => [text, bundle.__(text)]));
