import { api } from '../../api/client.js'
import { caller } from '../../api/session.js'
import { html } from '../../html.js'
import { notify } from '../../parts/notices.js'
import { toWords } from '../../parts/numbers.js'
import { askReason } from '../../parts/reason-dialog.js'
import { Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { previewKey } from './key-preview.js'
import { describeScopes } from './key-terms.js'

/** @import { Key } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

/** @type {readonly Column<Key>[]} */
const columns = [
  {
    name: 'name',
    label: 'Name',
    isMain: true,
    show: ({ id, name }) =>
      html`<bdi title=${name}>${name}</bdi>${id === caller.value?.id && html` <span class="tag accent">yours</span>`}`,
  },
  {
    name: 'permissions',
    label: 'May',
    show: ({ permissions }) =>
      html`<span class="row permissions">${permissions.map((name) => html`<span key=${name} class=${name === 'admin' ? 'tag warn' : 'tag'}>${name}</span>`)}</span>`,
  },
  {
    name: 'scopes',
    label: 'Scopes',
    show: (key) => html`<span class="clipped" title=${describeScopes(key)}>${describeScopes(key)}</span>`,
  },
  { name: 'ceiling', label: 'Reads up to', show: ({ max_sensitivity }) => max_sensitivity },
  { name: 'source', label: 'Source type', show: ({ source_type }) => toWords(source_type) },
  { name: 'expires', label: 'Expires', show: ({ expires_at }) => html`<${Time} at=${expires_at} />` },
  { name: 'used', label: 'Last used', show: ({ last_used_at }) => html`<${Time} at=${last_used_at} />` },
]

/** @param {{ keys: readonly Key[], isBusy: boolean, onRevoked: () => void }} properties */
export function KeyTable({ keys, isBusy, onRevoked }) {
  /** @type {Column<Key>} */
  const actions = {
    name: 'actions',
    label: html`<span class="unseen">Actions</span>`,
    show: (key) => html`<span class="row tight">
      <button type="button" title=${`What ${key.name} sees`} onClick=${() => previewKey(key)}>As this key</button>
      <button type="button" class="danger" title=${`Refuse ${key.name} from now on`} onClick=${() => revoke(key, onRevoked)}>Revoke</button>
    </span>`,
  }
  return html`<${Table} caption="Keys" columns=${[...columns, actions]} rows=${keys} keyOf=${(/** @type {Key} */ { id }) => id} isBusy=${isBusy} />`
}

/** @param {Key} key @param {() => void} onRevoked */
async function revoke({ id, name }, onRevoked) {
  const isOwn = id === caller.value?.id
  const isDone = await askReason({
    action: 'Revoke',
    explanation: html`Clients that use <bdi>${name}</bdi> are refused within five seconds. This cannot be undone.${isOwn && ' It is the key of this tab: you will have to sign in with another.'}`,
    isDangerous: true,
    needsReason: false,
    act: () => api.delete('/v1/keys/{id}', { path: { id } }),
  })
  if (!isDone) return
  notify(`Revoked ${name}.`)
  onRevoked()
}
