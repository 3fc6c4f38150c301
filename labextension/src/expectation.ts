/** What a cell must give, as the `%%heal --expect` line on top of it. Pure. */

const OPTION = /\s--expect(?:=|\s+)("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|\S+)/;

/** The value as one word of the line: what has blanks outside of brackets and quotes is put in brackets. */
export function toWord(value: string): string {
  const text = value.trim().replace(/\s*\n\s*/g, ' ');
  let depth = 0;
  let quote = '';
  for (const [at, sign] of [...text].entries()) {
    if (quote) {
      quote = sign === quote && text[at - 1] !== '\\' ? '' : quote;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
    } else if ('([{'.includes(sign)) {
      depth += 1;
    } else if (')]}'.includes(sign)) {
      depth -= 1;
    } else if (sign === ' ' && depth === 0) {
      return `(${text})`;
    }
  }
  return text;
}

/** The cell with that line on top, in place of an older expectation. */
export function expecting(source: string, value: string): string {
  const option = ` --expect ${toWord(value)}`;
  const lines = source.split('\n');
  const at = lines.findIndex(line => line.trim() !== '');
  if (at >= 0 && /^%%heal(\s|$)/.test(lines[at])) {
    lines[at] = lines[at].replace(OPTION, '').trimEnd() + option;
    return lines.join('\n');
  }
  return `%%heal${option}\n${source}`;
}
