/** What the outputs of a cell tell. Pure: no JupyterLab types. */

/**
 * Whether the outputs hold an error and no card of ours. A cell that the user stopped counts where its `source` has a loop
 * that may be endless.
 */
export function needsOffer(outputs: any[], source = ''): boolean {
  const mayBeEndless = /^\s*while\b/m.test(source);
  const failed = outputs.some(output => output.output_type === 'error' && (mayBeEndless || output.ename !== 'KeyboardInterrupt'));
  return failed && !outputs.some(isCard);
}

/** Whether an output is a card of ours. */
export function isCard(output: any): boolean {
  return String(output.data?.['text/plain'] ?? '').startsWith('Self-heal');
}
