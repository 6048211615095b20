import { useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { Field } from '../../parts/fields.js'
import { Panel } from '../../parts/panel.js'
import { isId } from '../../parts/record-id.js'
import { RecordLine } from '../../parts/record-line.js'
import { Failure, Loading } from '../../parts/states.js'
import { useRequest } from '../../parts/use-request.js'
import { query, setQuery } from '../../router.js'
import { Feedback } from './feedback.js'

/** @import { Retrieval, SeenRecord } from '../../api/types.d.ts' */
/** @import { Question } from './question.js' */

/** How far down the ranks a record is looked for. */
const depth = 100

/**
 * Finds a record that should have been in the answer, and says where it stands for this question.
 * @param {{ question: Question, onChange: () => void }} properties
 */
export function Missing({ question, onChange }) {
  const requested = query.value.get('missing') ?? ''
  /** @param {SubmitEvent} event */
  function look(event) {
    event.preventDefault()
    if (event.currentTarget instanceof HTMLFormElement)
      setQuery({ missing: String(new FormData(event.currentTarget).get('missing')).trim() })
  }
  return html`<${Panel} title="Is something missing?">
    <form class="question-text" onSubmit=${look}>
      <${Field} key=${requested} label="Record id or words of it" name="missing" initial=${requested} autocomplete="off" maxlength="1000" />
      <button type="submit">Look up</button>
    </form>
    ${requested !== '' && html`<${Places} requested=${requested} question=${question} onChange=${onChange} />`}
  <//>`
}

/** @param {{ requested: string, question: Question, onChange: () => void }} properties */
function Places({ requested, question, onChange }) {
  const [round, setRound] = useState(0)
  const { data, error, reload } = useRequest(
    async (signal) => {
      const body = { ...question, explain: true, root_limit: depth, node_limit: depth, max_hops: 0 }
      const [records, retrieval] = await Promise.all([
        findRecords(requested, signal),
        api.post('/v1/retrieve', { body, signal }),
      ])
      return { records, retrieval }
    },
    [requested, JSON.stringify(question), round],
  )
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  if (!data) return html`<${Loading} lines=${3} />`
  const { records, retrieval } = data
  if (records.length === 0) return html`<p class="note">No record has these words.</p>`
  const known = new Map(records.map((record) => [record.id, record]))
  const refresh = () => {
    setRound((former) => former + 1)
    onChange()
  }
  return html`<ul class="found-list">
    ${records.map(
      (record) => html`<li key=${record.id} class="withheld">
        <${RecordLine} id=${record.id} known=${known} linkId=${`missing-${record.id}`} />
        <p class="note">${describePlace(record, retrieval)}</p>
        <${Feedback} record=${record} describedBy=${`missing-${record.id}`} onChange=${refresh} />
      </li>`,
    )}
  </ul>`
}

/**
 * @param {string} requested
 * @param {AbortSignal} signal
 * @returns {Promise<SeenRecord[]>}
 */
async function findRecords(requested, signal) {
  const shown = { include_forgotten: true, mask_secrets: true }
  if (isId(requested))
    return [await api.get('/v1/records/{id}', { path: { id: requested }, query: shown, signal })]
  const { items } = await api.get('/v1/records', {
    query: { q: requested, limit: 5, ...shown },
    signal,
  })
  return items
}

/**
 * @param {SeenRecord} record
 * @param {Retrieval} retrieval
 */
function describePlace(record, { nodes, suppressed = [] }) {
  const rank = nodes.findIndex((node) => node.record.id === record.id) + 1
  if (rank > 0) return `Rank ${rank} for this question.`
  if ('forgotten' in record && record.forgotten) return 'It is forgotten.'
  const withheld = suppressed.some(({ id }) => id === record.id)
  if (withheld) return 'It matches, but is withheld.'
  return `Not among the first ${depth}: it shares too little with the question, or a filter leaves it out.`
}
