import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { Field } from '../../parts/fields.js'
import { formatScore, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { toText } from '../../parts/record-text.js'
import { Empty, showLoaded } from '../../parts/states.js'
import { Pager, Table } from '../../parts/table.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery, toPath } from '../../router.js'

/** @import { SeenRecord } from '../../api/types.d.ts' */
/** @import { Column } from '../../parts/table.js' */

const pageSize = 20

/** The parts that the entity can have in a record. */
const parts = [
  { value: '', label: 'any' },
  { value: 'subject_entity', label: 'subject' },
  { value: 'object_entity', label: 'object' },
  { value: 'mentions_entity', label: 'mentioned' },
]

/** The records about an entity, newest first. @param {{ id: string }} properties */
export function EntityFacts({ id }) {
  const part = query.value.get('part') ?? undefined
  const cursor = query.value.get('cursor') ?? undefined
  const request = useRequest(
    (signal) =>
      api.get('/v1/entities/{id}/records', {
        path: { id },
        signal,
        // The part comes from the address; the service refuses an unknown one.
        query: /** @type {{ limit: number }} */ ({
          predicate: part,
          cursor,
          limit: pageSize,
          mask_secrets: true,
        }),
      }),
    [id, part, cursor],
  )
  const choice = html`<${Field} label="As" options=${parts} value=${part ?? ''} onChange=${(/** @type {Event & { currentTarget: HTMLSelectElement }} */ { currentTarget }) => setQuery({ part: currentTarget.value, cursor: undefined })} />`
  return html`<${Panel} title="Facts and mentions" aside=${choice}>
    ${showLoaded(request, 6, (data) =>
      data.items.length === 0
        ? html`<${Empty} title="Nothing about it">No record that your key sees refers to it${part === undefined ? '' : ' in this part'}.<//>`
        : html`<div><${Table} caption="Records about the entity" columns=${columns} rows=${data.items} keyOf=${(/** @type {SeenRecord} */ record) => record.id} isBusy=${request.isLoading} /><${Pager} next=${data.next_cursor} /></div>`,
    )}
  <//>`
}

/** @type {readonly Column<SeenRecord>[]} */
const columns = [
  {
    name: 'text',
    label: 'Record',
    isMain: true,
    show: (record) =>
      html`<a href=${toPath(['records', record.id])} title=${toText(record)} dir="auto">${toText(record)}</a>`,
  },
  { name: 'type', label: 'Type', show: ({ type }) => toWords(type) },
  { name: 'salience', label: 'Salience', isNumber: true, show: ({ salience }) => formatScore(salience) },
  { name: 'created', label: 'Created', show: ({ created_at: at }) => html`<${Time} at=${at} />` },
]
