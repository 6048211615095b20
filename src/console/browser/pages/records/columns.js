import { html } from '../../html.js'
import { formatCount, formatScore, toWords } from '../../parts/numbers.js'
import { RecordId } from '../../parts/record-id.js'
import { StatusTag } from '../../parts/record-tags.js'
import { isRedacted, toText } from '../../parts/record-text.js'
import { scopeColumn } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { query, setQuery, toPath } from '../../router.js'

/** @import { MemoryRecord, SeenRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

/** @param {(record: MemoryRecord) => unknown} show @returns {(record: SeenRecord) => any} */
const ofWhole = (show) => (record) => (isRedacted(record) ? null : show(record))

/** @type {Column<SeenRecord>} */
export const textColumn = {
  name: 'text',
  label: 'Record',
  isMain: true,
  show: (record) =>
    html`<a class="record-link" dir="auto" href=${toPath(['records', record.id])}>${toText(record)}</a>`,
}

/** The columns to choose from. @type {readonly (Column<SeenRecord> & { label: string })[]} */
const choices = [
  { name: 'type', label: 'Type', show: (record) => toWords(record.type) },
  { name: 'status', label: 'Status', show: ofWhole((record) => html`<${StatusTag} record=${record} />`) },
  {
    name: 'salience',
    label: 'Salience',
    isNumber: true,
    show: ({ salience }) =>
      html`<span class="meter" aria-hidden="true"><span style=${{ width: `${Math.min(1, salience) * 100}%` }}></span></span>${formatScore(salience)}`,
  },
  {
    name: 'importance',
    label: 'Importance',
    isNumber: true,
    show: ofWhole(({ importance }) => formatScore(importance)),
  },
  scopeColumn,
  { name: 'created_at', label: 'Created', show: (record) => html`<${Time} at=${record.created_at} />` },
  { name: 'updated_at', label: 'Changed', show: (record) => html`<${Time} at=${record.updated_at} />` },
  { name: 'layer', label: 'Layer', show: ofWhole(({ layer }) => toWords(layer)) },
  { name: 'memory_kind', label: 'Kind', show: ofWhole((record) => record.memory_kind) },
  { name: 'sensitivity', label: 'Sensitivity', show: ({ sensitivity }) => sensitivity },
  {
    name: 'confidence',
    label: 'Confidence',
    isNumber: true,
    show: ofWhole(({ confidence }) => formatScore(confidence)),
  },
  {
    name: 'access_count',
    label: 'Uses',
    isNumber: true,
    show: ofWhole((record) => formatCount(record.access_count)),
  },
  {
    name: 'tags',
    label: 'Tags',
    show: ofWhole(({ tags }) => html`<${Tags} of=${tags} />`),
  },
  { name: 'source_type', label: 'Source type', show: ofWhole((record) => toWords(record.source_type)) },
  { name: 'id', label: 'Id', show: ({ id }) => html`<${RecordId} id=${id} />` },
]

const maxTags = 4

/** @param {{ of: readonly string[] }} properties */
function Tags({ of: tags }) {
  const more = tags.length - maxTags
  return html`<span class="row" title=${tags.join(', ')}>${tags.slice(0, maxTags).map((tag) => html`<span key=${tag} class="tag"><bdi>${tag}</bdi></span>`)}${more > 0 && html`<span class="note">+${more}</span>`}</span>`
}

const usual = ['type', 'status', 'salience', 'importance', 'scope', 'updated_at']

/** The chosen columns, in their usual order. */
export function listChosenColumns() {
  const named = query.value.get('columns')?.split(',') ?? usual
  return choices.filter(({ name }) => named.includes(name))
}

/** Boxes to choose columns with. */
export function ColumnChoice() {
  const chosen = listChosenColumns().map(({ name }) => name)
  /** @param {string} name */
  function toggle(name) {
    const next = choices.map((column) => column.name).filter((one) => (one === name) !== chosen.includes(one))
    const isUsual = next.length === usual.length && next.every((one) => usual.includes(one))
    setQuery({ columns: isUsual ? undefined : next.join(',') || 'none' }, { replace: true })
  }
  return html`<fieldset class="column-choice">
    <legend class="unseen">Columns</legend>
    ${choices.map(({ name, label }) => html`<label key=${name} class="check"><input type="checkbox" checked=${chosen.includes(name)} onChange=${() => toggle(name)} />${label}</label>`)}
  </fieldset>`
}
