/** What the outputs of a cell tell. Pure: no JupyterLab types. */

/** Whether the outputs hold an error and no card of ours. */
export function needsOffer(outputs: any[]): boolean {
  const failed = outputs.some(output => output.output_type === 'error' && output.ename !== 'KeyboardInterrupt');
  const carded = outputs.some(output => String(output.data?.['text/plain'] ?? '').startsWith('Self-heal'));
  return failed && !carded;
}
