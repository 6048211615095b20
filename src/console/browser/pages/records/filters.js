import { html } from '../../html.js'
import { toWords } from '../../parts/numbers.js'
import { recordTypes } from '../../parts/record-types.js'
import { query, setQuery } from '../../router.js'

/** @typedef {{ name: string, label: string, options?: readonly string[], kind?: 'text' | 'number' | 'datetime-local', isFlag?: boolean, placeholder?: string }} Filter */

/** Every filter of `GET /v1/records`; the names are those of its parameters and of the address. @type {readonly Filter[]} */
export const filters = [
  {
    name: 'type',
    label: 'Type',
    options: recordTypes,
  },
  { name: 'layer', label: 'Layer', options: ['working', 'episodic', 'semantic', 'procedural', 'codebase'] },
  {
    name: 'status',
    label: 'Status',
    options: ['active', 'challenged', 'invalidated', 'merged', 'superseded'],
  },
  { name: 'memory_kind', label: 'Kind', options: ['fact', 'procedure', 'narrative'] },
  { name: 'sensitivity', label: 'Sensitivity', options: ['public', 'low', 'medium', 'high', 'hyper'] },
  { name: 'pinned', label: 'Pinned', options: ['true', 'false'] },
  { name: 'scope', label: 'Scope', kind: 'text' },
  { name: 'tag', label: 'Tags', kind: 'text', placeholder: 'tags, separated by commas' },
  { name: 'min_salience', label: 'Salience from', kind: 'number' },
  { name: 'max_salience', label: 'Salience to', kind: 'number' },
  { name: 'created_after', label: 'Created after', kind: 'datetime-local' },
  { name: 'created_before', label: 'Created before', kind: 'datetime-local' },
  { name: 'updated_after', label: 'Changed after', kind: 'datetime-local' },
  { name: 'include_forgotten', label: 'Forgotten', options: ['true'] },
]

/** How an option reads, where its own name says too little. @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const shown = {
  pinned: { true: 'pinned', false: 'not pinned' },
  include_forgotten: { true: 'shown too' },
}

/** A changed filter starts the list again. @param {string} name @param {string} value */
function setFilter(name, value) {
  setQuery({ [name]: value, cursor: undefined })
}

/** The fields of all filters. */
export function FilterFields() {
  return html`<div class="filters">${filters.map((filter) => html`<${FilterField} key=${filter.name} filter=${filter} />`)}</div>`
}

/** @param {{ filter: Filter }} properties */
function FilterField({ filter: { name, label, options, kind = 'text', placeholder } }) {
  const value = query.value.get(name) ?? ''
  const id = `filter-${name}`
  const onChange = (/** @type {Event & { currentTarget: HTMLInputElement }} */ event) =>
    setFilter(name, toParameter(kind, event.currentTarget.value))
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${
      options
        ? html`<select id=${id} value=${value} onChange=${onChange}>
            <option value="">${name === 'include_forgotten' ? 'hidden' : 'any'}</option>
            ${options.map((option) => html`<option key=${option} value=${option} selected=${option === value}>${shown[name]?.[option] ?? toWords(option)}</option>`)}
          </select>`
        : html`<input id=${id} type=${kind} value=${toField(kind, value)} min=${kind === 'number' ? 0 : undefined} step=${kind === 'number' ? 0.05 : undefined} placeholder=${placeholder} autocomplete="off" onChange=${onChange} />`
    }
  </div>`
}

/** A field shows local time; the address holds the moment. @param {string} kind @param {string} value */
function toParameter(kind, value) {
  return kind === 'datetime-local' && value !== '' ? new Date(value).toISOString() : value
}

/** @param {string} kind @param {string} value */
function toField(kind, value) {
  if (kind !== 'datetime-local' || Number.isNaN(Date.parse(value))) return value
  const at = new Date(value)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The filters in force, each with a button that removes it. */
export function ActiveFilters() {
  const active = filters.filter(({ name }) => query.value.has(name))
  if (active.length === 0) return null
  const clear = () =>
    setQuery({ ...Object.fromEntries(active.map(({ name }) => [name, undefined])), cursor: undefined })
  return html`<ul class="chips" aria-label="Filters in force">
    ${active.map(({ name, label }) => {
      const value = query.value.get(name) ?? ''
      return html`<li key=${name}><span class="tag accent">${label}: ${shown[name]?.[value] ?? toWords(value)}</span><button type="button" class="quiet copy" aria-label=${`Remove the filter ${label}`} onClick=${() => setFilter(name, '')}>✕</button></li>`
    })}
    <li><button type="button" class="quiet" onClick=${clear}>Remove all</button></li>
  </ul>`
}

/** The parameters of the request that the address asks for. */
export function buildRequest() {
  const given = Object.fromEntries(
    ['q', 'cursor', 'sort', 'order', ...filters.map(({ name }) => name)].map((name) => [
      name,
      query.value.get(name) ?? undefined,
    ]),
  )
  const tag = given['tag']
    ?.split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return { ...given, tag }
}
