import { useLayoutEffect, useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { Problem } from '../../api/problem.js'
import { html } from '../../html.js'
import { formatScore, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { CopyButton, RecordId } from '../../parts/record-id.js'
import { StatusTag } from '../../parts/record-tags.js'
import { isRedacted, toText } from '../../parts/record-text.js'
import { Failure, Loading } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { DecayCurve } from '../../plots/decay-curve.js'
import { toPath } from '../../router.js'
import { RecordActions } from './actions.js'
import { AuditPanel, readLog } from './audit-panel.js'
import { FactsPanel } from './facts-panel.js'
import { PayloadView } from './payload-view.js'
import { ReasonsPanel } from './reasons-panel.js'
import { RelationsPanel } from './relations-panel.js'
import { RevisionsPanel, readRecord, readSteps } from './revisions-panel.js'

/** @import { AuditEntry, Explanation, Forecast, MemoryRecord, RedactedRecord } from '../../api/types.d.ts' */
/** @import { Steps } from './revisions-panel.js' */

const points = 60

/** One record: what it says, what becomes of it, and why. @param {{ id: string }} properties */
export function View({ id }) {
  // Of this record alone: the next one is masked again.
  const [shownId, setShownId] = useState('')
  const isMasked = shownId !== id
  const {
    data: record,
    error,
    isLoading,
    reload,
  } = useRequest((signal) => readRecord(id, isMasked, signal), [id, isMasked])
  const name = record ? toText(record) : undefined
  // At once with the page: a secret that is masked again must not stay in the title.
  useLayoutEffect(() => {
    if (name !== undefined) document.title = `${name.slice(0, 60)} – Membrane`
  }, [name])
  const toggleMask = () => setShownId(isMasked ? id : '')
  const show = () => {
    if (error !== undefined) return html`<${Gone} id=${id} error=${error} retry=${reload} />`
    if (record === undefined)
      return html`<h1 class="bone"><span class="unseen">Record</span></h1><${Loading} lines=${14} />`
    if (isRedacted(record)) return html`<${Redacted} record=${record} />`
    return html`<${Whole} record=${record} isBusy=${isLoading} reload=${reload} isMasked=${isMasked} toggleMask=${toggleMask} />`
  }
  return html`<nav class="crumbs" aria-label="Path"><a href=${toPath(['records'])}>Records</a></nav>
    ${show()}`
}

/** What stands for a secret. */
const mask = /<secret [a-z]+>/

/**
 * @param {{ record: MemoryRecord, isBusy: boolean, reload: () => void, isMasked: boolean, toggleMask: () => void }} properties
 */
function Whole({ record, isBusy, reload, isMasked, toggleMask }) {
  const { id, version } = record
  const path = { id }
  // One load for all below the heading: the curve needs log, explanation and forecast of one moment, and panels that
  // arrived one by one would push each other around.
  const body = useRequest(
    async (signal) => {
      const [explanation, forecast, log, steps] = await Promise.all([
        api.get('/v1/records/{id}/explain', { path, signal }),
        record.forgotten
          ? undefined
          : api.get('/v1/records/{id}/forecast', { path, query: { points }, signal }),
        readLog(id, isMasked, undefined, signal),
        readSteps(record, isMasked, signal),
      ])
      return { explanation, forecast, log, steps }
    },
    [id, version, record],
  )
  const holdsSecrets = !isMasked || mask.test(JSON.stringify([record, body.data]))
  const showBody = () => {
    if (body.error !== undefined)
      return html`<${Panel} title="Content"><${PayloadView} record=${record} /><//><${Failure} error=${body.error} retry=${body.reload} />`
    if (body.data) return html`<${Body} record=${record} data=${body.data} isMasked=${isMasked} />`
    return html`<${Loading} lines=${14} />`
  }
  return html`<header class="record-head">
      <h1 class="content">${toText(record)}</h1>
      <div class="row">
        <span class="tag">${toWords(record.type)}</span><${StatusTag} record=${record} />
        <span class="tag">${toWords(record.layer)} layer</span><span class="tag">${record.scope ?? 'no scope'}</span>
        <span class="note">salience ${formatScore(record.salience)}</span>
        <code class="note">${id}</code><${CopyButton} text=${id} label="Copy the id" />
        ${holdsSecrets && html`<button type="button" onClick=${toggleMask}>${isMasked ? 'Show secrets' : 'Mask secrets'}</button>`}
      </div>
      ${record.forgotten && html`<${ForgottenNotice} forgotten=${record.forgotten} />`}
      <${RecordActions} record=${record} isBusy=${isBusy} onDone=${reload} />
    </header>
    ${showBody()}`
}

/**
 * @typedef {{ explanation: Explanation, forecast: Forecast | undefined, log: { items: AuditEntry[], next_cursor?: string }, steps: Steps }} BodyData
 */

/** Last in its column is what loads more by itself. @param {{ record: MemoryRecord, data: BodyData, isMasked: boolean }} properties */
function Body({ record, data: { explanation, forecast, log, steps }, isMasked }) {
  return html`<div class="record-grid">
    <div class="stack">
      <${Panel} title="Content"><${PayloadView} record=${record} /><//>
      ${forecast && html`<${DecayCurve} record=${record} log=${log.items} explanation=${explanation} forecast=${forecast} />`}
      <${RevisionsPanel} record=${record} steps=${steps} />
      <${AuditPanel} key=${isMasked} id=${record.id} first=${log} isMasked=${isMasked} />
    </div>
    <div class="stack">
      <${ReasonsPanel} record=${record} explanation=${explanation} />
      <${FactsPanel} record=${record} />
      <${RelationsPanel} record=${record} />
    </div>
  </div>`
}

/** @param {{ forgotten: NonNullable<MemoryRecord['forgotten']> }} properties */
function ForgottenNotice({ forgotten: { at, reason, actor, run_id, purge_at } }) {
  return html`<p class="banner bad">
    This record is forgotten: ${toWords(reason)} by ${actor}, <${Time} at=${at} />. No list and no answer has it.
    It can be restored until it is purged <${Time} at=${purge_at} />.
    ${run_id !== undefined && html` <a href=${toPath(['maintenance', 'runs', run_id])}>The run that forgot it</a>`}
  </p>`
}

/** @param {{ record: RedactedRecord }} properties */
function Redacted({ record }) {
  return html`<h1>${toText(record)}</h1>
    <p class="state">Its sensitivity is ${record.sensitivity}, one level above what this key may see: the content is hidden.</p>
    <dl class="facts">
      <dt>Id</dt><dd><${RecordId} id=${record.id} isLink=${false} /></dd>
      <dt>Scope</dt><dd>${record.scope ?? 'none'}</dd>
      <dt>Created</dt><dd><${Time} at=${record.created_at} /></dd>
      <dt>Changed</dt><dd><${Time} at=${record.updated_at} /></dd>
      <dt>Salience</dt><dd>${formatScore(record.salience)}</dd>
    </dl>`
}

/** The log is all that is left of a record that no longer exists. @param {{ id: string, error: unknown, retry: () => void }} properties */
function Gone({ id, error, retry }) {
  const isGone = error instanceof Problem && error.status === 410
  const { data: log } = useRequest(
    async (signal) => (isGone ? readLog(id, true, undefined, signal) : undefined),
    [id, isGone],
  )
  return html`<h1>${isGone ? 'This record is gone' : 'Record'}</h1>
    <${Failure} error=${error} retry=${isGone ? undefined : retry} />
    ${log && html`<${AuditPanel} id=${id} first=${log} isMasked=${true} />`}`
}
