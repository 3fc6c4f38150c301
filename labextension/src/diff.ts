/** The diff of a card in the editor's own look: CodeMirror's unified merge view, themed by JupyterLab. */

import { unifiedMergeView } from '@codemirror/merge';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { IEditorLanguageRegistry, jupyterTheme } from '@jupyterlab/codemirror';

/** Draw the change from `old` to `source` into `host`, coloured by JupyterLab's own Python where it has one. */
export function drawDiff(host: HTMLElement, old: string, source: string, languages: IEditorLanguageRegistry | null): void {
  host.replaceChildren();
  host.classList.add('jp-SelfHeal-diff');
  const language = new Compartment();
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: source,
      extensions: [
        jupyterTheme,
        language.of([]),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'Changes in the cell', tabindex: '0' }),
        unifiedMergeView({ original: old, mergeControls: false, gutter: true, highlightChanges: true, collapseUnchanged: { margin: 3, minSize: 8 } })
      ]
    })
  });
  void languages?.getLanguage('python').then(found => {
    if (found?.support) {
      view.dispatch({ effects: language.reconfigure(found.support) });
    }
  });
}
