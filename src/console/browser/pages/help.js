import { html } from '../html.js'

/** @import { Page } from '../pages.js' */

/** The words that the pages use without an explanation. */
const words = [
  [
    'type',
    'What a record holds. Episodic: what happened. Working: a task under way. Entity: a thing or a person. Semantic: a fact. Competence: a skill. Plan graph: the steps of a plan.',
  ],
  [
    'scope',
    'A name for records that belong together, such as a project or a user. Clients choose it. Every key can read records without a scope.',
  ],
  [
    'salience',
    'How present a record is now. It falls with time, and a reinforcement raises it. Near 0 the record is forgotten.',
  ],
  ['importance', 'What a record is worth, from 0 to 1: its content, uses, age, layer and source count.'],
  [
    'layer',
    'How long a record lasts. The layer counts in the importance. Records that are used often move from working to episodic to semantic.',
  ],
  [
    'status',
    'Active or challenged (in doubt). Superseded, merged and invalidated records are history: they answer no question.',
  ],
  ['forgotten', 'Hidden from all answers. It can be restored until it is purged.'],
  ['erased', 'Removed at once and for good.'],
  ['sensitivity', 'How secret a record is. A key reads records up to one sensitivity in full.'],
]

/** @param {{ pages: readonly Page[], close: () => void }} properties */
export function View({ pages, close }) {
  return html`<div class="stack">
    <dl class="facts">${words.map(([name, meaning]) => html`<dt key=${name}>${name}</dt><dd>${meaning}</dd>`)}</dl>
    <h3>Keyboard</h3>
    <dl class="shortcuts">
      <div><dt><kbd>/</kbd></dt><dd>Search records</dd></div>
      ${pages.map(({ name, title, letter }) => html`<div key=${name}><dt><kbd>g</kbd> <kbd>${letter}</kbd></dt><dd>${title}</dd></div>`)}
      <div><dt><kbd>?</kbd></dt><dd>This list</dd></div>
      <div><dt><kbd>Esc</kbd></dt><dd>Close a dialog</dd></div>
    </dl>
    <div class="dialog-actions"><button type="button" class="primary" onClick=${close}>Close</button></div>
  </div>`
}
