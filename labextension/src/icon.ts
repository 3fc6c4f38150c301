/** Our icon, coloured by the theme: a plaster. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16"><g class="jp-icon3" stroke="#616161" stroke-width="1.3" style="fill: none">' +
  '<rect x="0.5" y="4.8" width="15" height="6.4" rx="3.2" transform="rotate(-45 8 8)"/><path d="M5.2 8 8 5.2 10.8 8 8 10.8Z"/></g></svg>';

export const healIcon = new LabIcon({ name: 'jupyter-selfheal:heal', svgstr: SVG });
