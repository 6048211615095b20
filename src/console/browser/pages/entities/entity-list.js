import { useEffect, useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { Checkbox, Field } from '../../parts/fields.js'
import { formatScore } from '../../parts/numbers.js'
import { PageHead } from '../../parts/panel.js'
import { Empty, showLoaded } from '../../parts/states.js'
import { Pager, scopeColumn, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { navigate, query, setQuery, toPath } from '../../router.js'
import { askToMerge, getName, isReadable } from './merging.js'

/** @import { MemoryRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

const pageSize = 50

/** Entities by name, with the ones that have exactly this name first; without a name those that changed last. */
export function EntityList() {
  const [term, scope, status, cursor] = ['q', 'scope', 'status', 'cursor'].map(
    (name) => query.value.get(name) ?? undefined,
  )
  const request = useRequest(
    (signal) => findEntities({ term, scope, status, cursor, signal }),
    [term, scope, status, cursor],
  )
  const [selected, setSelected] = useState(/** @type {readonly string[]} */ ([]))
  useEffect(() => setSelected([]), [term, scope, status, cursor])
  const rows = request.data?.items ?? []
  const chosen = rows.filter(({ id }) => selected.includes(id))
  async function mergeChosen() {
    const kept = await askToMerge(chosen)
    if (kept !== undefined) navigate(toPath(['entities', kept]))
  }
  return html`<${PageHead} title="Entities">
      ${may('records:write') && html`<button type="button" disabled=${chosen.length < 2} onClick=${mergeChosen}>Merge</button>`}
    <//>
    <div class="stack">
      <${Search} key=${term} term=${term} scope=${scope} status=${status} />
      ${showLoaded(request, 10, (data) =>
        rows.length === 0
          ? html`<${Nothing} isFiltered=${[term, scope, status].some((one) => one !== undefined)} />`
          : html`<div><${Table} caption="Entities" columns=${createColumns(selected, setSelected)} rows=${rows} keyOf=${(/** @type {MemoryRecord} */ { id }) => id} isBusy=${request.isLoading} /><${Pager} next=${data.next_cursor} /></div>`,
      )}
    </div>`
}

/**
 * @param {{ term: string | undefined, scope: string | undefined, status: string | undefined, cursor: string | undefined, signal: AbortSignal }} requested
 */
async function findEntities({ term, scope, status = 'active', cursor, signal }) {
  const filter = { type: 'entity', status: status === 'any' ? undefined : status }
  const query = { ...filter, q: term, scope, cursor, limit: pageSize, sort: 'updated_at' }
  const [exact, page] = await Promise.all([
    term === undefined || cursor !== undefined
      ? { items: [] }
      : api.get('/v1/entities', { query: { term, scope }, signal }),
    // The status comes from the address; the service refuses an unknown one.
    api.get('/v1/records', { query: /** @type {{ type: 'entity' }} */ (query), signal }),
  ])
  const known = new Set(exact.items.map(({ id }) => id))
  const others = page.items.filter(({ id }) => !known.has(id)).filter(isReadable)
  return { ...page, items: [...exact.items, ...others] }
}

/** @param {{ term: string | undefined, scope: string | undefined, status: string | undefined }} properties */
function Search({ term, scope, status = 'active' }) {
  /** @param {SubmitEvent & { currentTarget: HTMLFormElement }} event */
  function submit(event) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const text = (/** @type {string} */ name) => String(data.get(name) ?? '').trim()
    const chosen = text('status')
    setQuery({
      q: text('q'),
      scope: text('scope'),
      cursor: undefined,
      status: chosen === 'active' ? undefined : chosen,
    })
  }
  return html`<form class="fields" role="search" onSubmit=${submit}>
    <${Field} label="Name" name="q" type="search" value=${term ?? ''} maxlength="1000" autocomplete="off" />
    <${Field} label="Only of the scope" name="scope" value=${scope ?? ''} maxlength="256" autocomplete="off" />
    <${Field} label="Status" name="status" options=${['active', 'challenged', 'merged', 'any']} value=${status} />
    <div class="field end"><button type="submit">Search</button></div>
  </form>`
}

/** @param {{ isFiltered: boolean }} properties */
function Nothing({ isFiltered }) {
  return isFiltered
    ? html`<${Empty} title="No entity found">Search for whole words of the name or an alias, or for an identifier such as <code>repo:acme/billing</code>.<//>`
    : html`<${Empty} title="No entities yet">They come with captured records and imported files, or by <code>POST /v1/records</code>.<//>`
}

/**
 * @param {readonly string[]} selected
 * @param {(next: readonly string[]) => void} select
 * @returns {readonly Column<MemoryRecord>[]}
 */
function createColumns(selected, select) {
  /** @param {string} id */
  const toggle = (id) =>
    select(selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id])
  /** @type {Column<MemoryRecord>} */
  const choice = {
    name: 'choice',
    label: html`<span class="unseen">Select</span>`,
    show: (entity) =>
      html`<${Checkbox} label=${`Select ${getName(entity)}`} isHidden checked=${selected.includes(entity.id)} onChange=${() => toggle(entity.id)} />`,
  }
  return may('records:write') ? [choice, ...columns] : columns
}

/** @type {readonly Column<MemoryRecord>[]} */
const columns = [
  {
    name: 'name',
    label: 'Name',
    isMain: true,
    show: (entity) =>
      html`<a href=${toPath(['entities', entity.id])} title=${getName(entity)} dir="auto">${getName(entity)}</a>`,
  },
  {
    name: 'type',
    label: 'Type',
    show: ({ payload }) =>
      html`<span class="clipped">${payload.kind === 'entity' && payload.primary_type}</span>`,
  },
  {
    name: 'aliases',
    label: 'Also called',
    show: ({ payload }) =>
      html`<span class="clipped">${payload.kind === 'entity' && payload.aliases.map(({ value }) => value).join(', ')}</span>`,
  },
  {
    name: 'status',
    label: 'Status',
    show: ({ status }) => (status === 'active' ? status : html`<span class="tag warn">${status}</span>`),
  },
  scopeColumn,
  { name: 'salience', label: 'Salience', isNumber: true, show: ({ salience }) => formatScore(salience) },
  { name: 'updated', label: 'Changed', show: ({ updated_at: at }) => html`<${Time} at=${at} />` },
]
