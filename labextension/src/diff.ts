/** The diff of a card in the editor's own look: CodeMirror's unified merge view, themed by JupyterLab. */

import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { IEditorLanguageRegistry, jupyterTheme } from '@jupyterlab/codemirror';

import { trans } from './texts';

/**
 * Draw the change from `old` to `source` into `host`, coloured by JupyterLab's own Python where it has one.
 *
 * The language comes first: removed lines are coloured once, when the view is made.
 */
export async function drawDiff(host: HTMLElement, old: string, source: string, languages: IEditorLanguageRegistry | null): Promise<void> {
  host.classList.add('jp-SelfHeal-diff');
  const python: Extension = (await languages?.getLanguage('python').catch(() => null))?.support ?? [];
  host.replaceChildren();
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: source,
      extensions: [
        jupyterTheme,
        python,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': trans.__('Changes in the cell'), tabindex: '0' }),
        unifiedMergeView({ original: old, mergeControls: false, gutter: true, highlightChanges: true, collapseUnchanged: { margin: 3, minSize: 8 } })
      ]
    })
  });
  host.setAttribute('data-lines', String(view.state.doc.lines));
}
