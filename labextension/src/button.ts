/** A button of ours: what it says, what it does in full when pointed at, and what happens. */
export function makeButton(label: string, hint: string, onclick: () => void): HTMLButtonElement {
  const node = document.createElement('button');
  node.type = 'button';
  node.textContent = label;
  node.title = hint;
  node.addEventListener('click', onclick);
  return node;
}
