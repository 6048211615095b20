import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { PageHead } from '../../parts/panel.js'
import { isRedacted, toText } from '../../parts/record-text.js'
import { Empty, showLoaded } from '../../parts/states.js'
import { Pager, Table } from '../../parts/table.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery } from '../../router.js'
import { BulkActions } from './bulk.js'
import { ColumnChoice, listChosenColumns, textColumn } from './columns.js'
import { ActiveFilters, buildRequest, FilterFields, filters } from './filters.js'

/** @import { SeenRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

/** Everything that decides what the list holds, but not how it is shown. */
const deciding = () => JSON.stringify(buildRequest())

/** Without either, no action is offered for what is selected. */
const canChange = () => may('lifecycle:write') || may('records:write')

/** The records that the key may see, by every filter of the API. */
export function RecordList() {
  const requested = deciding()
  const request = useRequest(
    (signal) => api.get('/v1/records', { query: { ...buildRequest(), mask_secrets: true }, signal }),
    [requested],
  )
  const [selected, setSelected] = useState(/** @type {ReadonlySet<string>} */ (new Set()))
  useEffect(() => setSelected(new Set()), [requested])
  const finish = () => {
    setSelected(new Set())
    request.reload()
  }
  return html`<${PageHead} title="Records" />
    <div class="stack">
      <${SearchBar} />
      <${ActiveFilters} />
      <div class="list-head">
        ${canChange() && html`<${BulkActions} selected=${(request.data?.items ?? []).filter(({ id }) => selected.has(id))} isBusy=${request.isLoading} onDone=${finish} />`}
        <${OrderChoice} />
      </div>
      ${showLoaded(request, 16, (data) => html`<${Rows} records=${data.items} next=${data.next_cursor} isBusy=${request.isLoading} selected=${selected} setSelected=${setSelected} />`)}
    </div>`
}

function SearchBar() {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const now = query.value.get('q') ?? ''
  const isAsked = query.value.get('focus') === 'search'
  useEffect(() => {
    if (!isAsked) return
    field.current?.focus()
    setQuery({ focus: undefined }, { replace: true })
  }, [isAsked])
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault()
    setQuery({ q: field.current?.value.trim(), cursor: undefined })
  }
  return html`<form role="search" class="search" onSubmit=${submit}>
      <input ref=${field} type="search" aria-label="Search records" placeholder=${'Words, "a phrase", or, -without'} maxlength="1000" key=${now} defaultValue=${now} />
      <button type="submit">Search</button>
    </form>
    <div class="choices">
      <details open=${filters.some(({ name }) => query.peek().has(name))}><summary>Filters</summary><${FilterFields} /></details>
      <details><summary>Columns</summary><${ColumnChoice} /></details>
    </div>`
}

const sorts = [
  { value: 'salience', label: 'Salience' },
  { value: 'importance', label: 'Importance' },
  { value: 'created_at', label: 'Created' },
  { value: 'updated_at', label: 'Changed' },
]

function OrderChoice() {
  const sort = query.value.get('sort') ?? 'salience'
  const order = query.value.get('order') ?? 'desc'
  const choose = (/** @type {Event & { currentTarget: HTMLSelectElement }} */ event) =>
    setQuery({
      sort: event.currentTarget.value === 'salience' ? undefined : event.currentTarget.value,
      cursor: undefined,
    })
  return html`<div class="row order">
    <label for="sort" class="note">Sort by</label>
    <select id="sort" value=${sort} onChange=${choose}>
      ${sorts.map(({ value, label }) => html`<option key=${value} value=${value} selected=${value === sort}>${label}</option>`)}
    </select>
    <button type="button" aria-label=${order === 'desc' ? 'Highest first; show lowest first' : 'Lowest first; show highest first'} onClick=${() => setQuery({ order: order === 'desc' ? 'asc' : undefined, cursor: undefined })}>${order === 'desc' ? '↓' : '↑'}</button>
  </div>`
}

/**
 * @param {{ records: readonly SeenRecord[], next: string | undefined, isBusy: boolean, selected: ReadonlySet<string>, setSelected: (ids: ReadonlySet<string>) => void }} properties
 */
function Rows({ records, next, isBusy, selected, setSelected }) {
  if (records.length === 0) return html`<${NoRecords} />`
  const whole = records.filter((record) => !isRedacted(record))
  /** @param {readonly SeenRecord[]} some @param {boolean} isOn */
  function mark(some, isOn) {
    const ids = new Set(some.map(({ id }) => id))
    setSelected(new Set([...selected, ...ids].filter((id) => isOn || !ids.has(id))))
  }
  const areAll = whole.length > 0 && whole.every(({ id }) => selected.has(id))
  /** @type {Column<SeenRecord>} */
  const boxes = {
    name: 'select',
    label: html`<input type="checkbox" aria-label="Select all on this page" checked=${areAll} onChange=${() => mark(whole, !areAll)} />`,
    show: (record) =>
      !isRedacted(record) &&
      html`<input type="checkbox" aria-label=${`Select ${toText(record, 80)}`} checked=${selected.has(record.id)} onChange=${() => mark([record], !selected.has(record.id))} />`,
  }
  return html`<div>
    <${Table} caption="Records" columns=${[...(canChange() ? [boxes] : []), textColumn, ...listChosenColumns()]} rows=${records} keyOf=${(/** @type {SeenRecord} */ { id }) => id} isBusy=${isBusy} />
    <${Pager} next=${next} />
  </div>`
}

function NoRecords() {
  const isFiltered = query.value.size > 0
  return isFiltered
    ? html`<${Empty} title="No record matches">Use fewer words, or remove a filter. Forgotten records are hidden unless the filter Forgotten shows them.<//>`
    : html`<${Empty} title="There are no records yet">Send one with <code>POST /v1/remember</code>, connect an agent over <code>/mcp</code>, or import a file.<//>`
}
