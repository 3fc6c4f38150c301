/**
 * Every text of this extension goes through `trans.__`, which JupyterLab's translation tools read and its language packs answer
 * (https://jupyterlab.readthedocs.io/en/stable/extension/internationalization.html). Without one the English text stays. `%1` is the first value.
 */

export interface IBundle {
  __(text: string, ...values: any[]): string;
}

const ENGLISH: IBundle = {
  __: (text, ...values) => text.replace(/%(\d)/g, (_, n) => String(values[Number(n) - 1]))
};

let bundle = ENGLISH;

/** The language that JupyterLab was set to. */
export function setBundle(chosen: IBundle): void {
  bundle = chosen;
}

export const trans: IBundle = { __: (text, ...values) => bundle.__(text, ...values) };
