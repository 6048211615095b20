import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { openDialog } from '../../parts/dialog.js'
import { nameCount, toWords } from '../../parts/numbers.js'
import { toText } from '../../parts/record-text.js'
import { Empty, Failure, Loading } from '../../parts/states.js'
import { scopeColumn, Table } from '../../parts/table.js'
import { useRequest } from '../../parts/use-request.js'
import { toPath } from '../../router.js'
import { describeScopes, permissions, seenAs, sensitivities } from './key-terms.js'

/** @import { Key, SeenRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

/** At most this many of the newest records are read, of all and of each of the first scopes of the key. */
const looked = { all: 60, scopes: 4, perScope: 30 }
/** @type {readonly ReturnType<typeof seenAs>[]} */
const orders = ['in full', 'redacted', 'hidden']
const looks = { 'in full': 'good', redacted: 'warn', hidden: 'bad' }

/** Shows what a key may do, and which of the newest records it sees. @param {Key} key */
export function previewKey(key) {
  openDialog({
    title: `As ${key.name}`,
    isWide: true,
    Body: ({ close }) => html`<div class="stack">
      <${Reach} of=${key} />
      ${may('records:read') && html`<${Sample} of=${key} />`}
      <div class="dialog-actions"><button type="button" class="primary" onClick=${() => close()}>Close</button></div>
    </div>`,
  })
}

/** @param {{ of: Key }} properties */
function Reach({ of: key }) {
  const granted = permissions.filter(({ name }) => key.permissions.includes(name))
  const rank = sensitivities.indexOf(key.max_sensitivity)
  const redacted = sensitivities[rank + 1]
  const hidden = sensitivities.slice(rank + 2)
  const where = key.scopes.length === 0 ? 'all scopes' : `${describeScopes(key)}, and records without a scope`
  return html`<dl class="facts">
    ${granted.map(({ name, meaning }) => html`<dt key=${name}>${name}</dt><dd>${meaning}</dd>`)}
    <dt>Where</dt><dd>${where}</dd>
    <dt>In full</dt><dd>${sensitivities.slice(0, rank + 1).join(', ')}</dd>
    <dt>Redacted</dt><dd>${redacted ?? 'nothing'}</dd>
    <dt>Hidden</dt><dd>${hidden.join(', ') || 'nothing'}</dd>
    <dt>Writes as</dt><dd>${toWords(key.source_type)}</dd>
  </dl>`
}

/** @param {{ of: Key }} properties */
function Sample({ of: key }) {
  const { data, error, reload } = useRequest((signal) => readNewest(key, signal), [])
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} />`
  if (data.length === 0)
    return html`<${Empty} title="No records yet">There is no record that a key could see.<//>`
  if (!may('records:read', key.permissions))
    return html`<${Empty} title="The key reads nothing">It lacks <code>records:read</code>.<//>`
  const judged = data.map((record) => ({ record, seen: seenAs(record, key) }))
  const groups = orders.map((name) => judged.filter(({ seen }) => seen === name))
  const rows = groups.flat()
  const counts = orders.map((name, index) => `${groups[index]?.length ?? 0} ${name}`)
  return html`<p>Of ${nameCount(rows.length, 'record')} that you see, the newest of all and of its scopes: ${counts.join(', ')}.</p>
    <${Table} caption="What the key sees of the newest records" columns=${columns} rows=${rows} keyOf=${(/** @type {Seen} */ { record }) => record.id} />`
}

/**
 * The records of its own scopes would otherwise be missing where others are busier.
 * @param {Key} key
 * @param {AbortSignal} signal
 * @returns {Promise<readonly SeenRecord[]>}
 */
async function readNewest({ scopes }, signal) {
  const read = (/** @type {{ scope?: string, limit: number }} */ query) =>
    api.get('/v1/records', { query: { sort: 'created_at', mask_secrets: true, ...query }, signal })
  const pages = await Promise.all([
    read({ limit: looked.all }),
    ...scopes.slice(0, looked.scopes).map((scope) => read({ scope, limit: looked.perScope })),
  ])
  return [...new Map(pages.flatMap(({ items }) => items).map((record) => [record.id, record])).values()]
}

/** @typedef {{ record: SeenRecord, seen: keyof typeof looks }} Seen */

/** @type {readonly Column<Seen>[]} */
const columns = [
  {
    name: 'seen',
    label: 'Seen',
    show: ({ seen }) => html`<span class=${`tag ${looks[seen]}`}>${seen}</span>`,
  },
  {
    name: 'text',
    label: 'Record',
    isMain: true,
    show: ({ record }) =>
      html`<a href=${toPath(['records', record.id])} target="_blank" dir="auto">${toText(record)}</a>`,
  },
  { name: 'type', label: 'Type', show: ({ record }) => toWords(record.type) },
  { ...scopeColumn, show: ({ record }) => scopeColumn.show(record) },
  { name: 'sensitivity', label: 'Sensitivity', show: ({ record }) => record.sensitivity },
]
