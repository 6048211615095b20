import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { formatShare, nameCount } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { RecordLine } from '../../parts/record-line.js'
import { Empty, Failure, Loading } from '../../parts/states.js'
import { useRecords } from '../../parts/use-records.js'
import { useRequest } from '../../parts/use-request.js'
import { ContextText } from './context-text.js'
import { CopyAsCurl } from './curl.js'
import { Feedback } from './feedback.js'
import { Found } from './found.js'
import { Missing } from './missing.js'

/** @import { Retrieval, Suppressed } from '../../api/types.d.ts' */
/** @import { Question } from './question.js' */

/** The recalled records for a question, the withheld ones, and the text for a prompt. @param {{ question: Question }} properties */
export function Answer({ question }) {
  const body = { ...question, explain: true }
  const asked = JSON.stringify(body)
  const { data, error, isLoading, reload } = useRequest(
    (signal) => api.post('/v1/retrieve', { body: { ...body, mask_secrets: true }, signal }),
    [asked],
  )
  if (error !== undefined) return html`<${Failure} error=${error} retry=${reload} />`
  const isUnderWay = isLoading && data === undefined
  return html`<div class="recalled">
    <div class="stack">
      <${Panel} title="Answer" aside=${html`<${CopyAsCurl} path="/v1/retrieve" body=${body} />`}>
        ${isUnderWay || !data ? html`<${Loading} lines=${14} />` : html`<${Nodes} retrieval=${data} isBusy=${isLoading} onChange=${reload} />`}
      <//>
      <${Panel} title="Withheld"><${Withheld} suppressed=${data?.suppressed} onChange=${reload} /><//>
    </div>
    <div class="stack">
      <${ContextText} question=${question} />
      <${Missing} question=${question} onChange=${reload} />
    </div>
  </div>`
}

/** @param {{ retrieval: Retrieval, isBusy: boolean, onChange: () => void }} properties */
function Nodes({ retrieval: { nodes, selection }, isBusy, onChange }) {
  const best = Math.max(1e-9, ...nodes.map(({ score }) => score))
  const [roots, neighbours] = [true, false].map((root) => nodes.filter((node) => node.root === root))
  if (nodes.length === 0)
    return html`<${Empty} title="Nothing is recalled">No active record matches. Ask with other words or without filters, or look at the withheld records below.<//>`
  const list = (/** @type {Retrieval['nodes']} */ shown) =>
    html`<ol class="found-list" aria-busy=${isBusy}>${shown.map((node) => html`<${Found} key=${node.record.id} node=${node} rank=${nodes.indexOf(node) + 1} best=${best} onChange=${onChange} />`)}</ol>`
  return html`${
    selection &&
    html`<p class="note">${nameCount(selection.selected.length, 'skill or plan', 'skills or plans')} selected, confidence ${formatShare(selection.confidence)}${selection.needs_more && ', too close to rely on'}.</p>`
  }
    ${list(roots ?? [])}
    ${neighbours?.length !== 0 && html`<h3>Neighbours, over relations</h3>${list(neighbours ?? [])}`}`
}

/** Why a record that matches is not in the answer. @param {Suppressed} suppressed */
function explainReason({ reason, status }) {
  switch (reason) {
    case 'retracted':
      return 'A revision took it back.'
    case 'status':
      return `Its status is ${status}.`
    case 'validity':
      return 'It does not hold at this time.'
    case 'min_salience':
      return 'Its salience is too low.'
  }
}

/** @param {{ suppressed: readonly Suppressed[] | undefined, onChange: () => void }} properties */
function Withheld({ suppressed, onChange }) {
  const known = useRecords(suppressed?.map(({ id }) => id) ?? [])
  if (suppressed === undefined) return html`<${Loading} lines=${2} />`
  if (suppressed.length === 0) return html`<p class="note">No matching record was withheld.</p>`
  return html`<ul class="found-list">
    ${suppressed.map((one) => {
      const record = known.get(one.id)
      return html`<li key=${one.id} class="withheld">
        <${RecordLine} id=${one.id} known=${known} linkId=${`withheld-${one.id}`} />
        <p class="note">${explainReason(one)}</p>
        ${record && html`<${Feedback} record=${record} describedBy=${`withheld-${one.id}`} onChange=${onChange} />`}
      </li>`
    })}
  </ul>`
}
