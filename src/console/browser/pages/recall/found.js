import { html } from '../../html.js'
import { toWords } from '../../parts/numbers.js'
import { RecordId, shortenId } from '../../parts/record-id.js'
import { isRedacted, toText } from '../../parts/record-text.js'
import { Time } from '../../parts/time.js'
import { toPath } from '../../router.js'
import { Feedback } from './feedback.js'

/** @import { RetrievedNode, SeenRecord, Signals } from '../../api/types.d.ts' */

/**
 * A record of the answer, and what its score is made of.
 * @param {{ node: RetrievedNode, rank: number, best: number, onChange: () => void }} properties
 */
export function Found({ node: { record, score, signals, hop }, rank, best, onChange }) {
  const linkId = `found-${record.id}`
  return html`<li class="found">
    <span class="found-rank" aria-label=${`Rank ${rank}`}>${rank}</span>
    <div class="found-body">
      <a id=${linkId} class="record-link content" href=${toPath(['records', record.id])}>${toText(record)}</a>
      <div class="found-line"><p class="note">${toWords(record.type)}${record.scope !== undefined && html` · <bdi>${record.scope}</bdi>`} · <${Time} at=${findTime(record)} /> · <${RecordId} id=${record.id} /></p><${Feedback} record=${record} describedBy=${linkId} onChange=${onChange} /></div>
      ${signals && html`<${Parts} signals=${signals} hop=${hop} best=${best} />`}
    </div>
    <b class="found-score" title="Score">${score.toFixed(3)}</b>
  </li>`
}

/** Each channel's share of the score, and the factors that it is multiplied with. @param {{ signals: Signals, hop: number, best: number }} properties */
function Parts({ signals, hop, best }) {
  const { channels, fused, via, raised_by: raised } = signals
  const width = (/** @type {number} */ part) => ({ width: `${Math.min(100, (100 * part) / best)}%` })
  return html`<div class="parts-bar" aria-hidden="true">
      ${channels.map(({ channel, contribution }) => html`<i key=${channel} class=${`part ${channel}`} style=${width(contribution)}></i>`)}
      ${via && html`<i class="part edge" style=${width(fused)}></i>`}
    </div>
    <p class="note parts-text">
      ${channels.map(({ channel, rank, weight, contribution }) => html`<span key=${channel} title=${`Weight ${weight}`}><i class=${`part ${channel}`}></i>${channel} ${contribution.toFixed(3)}, rank ${rank}</span>`)}
      ${via && html`<span><i class="part edge"></i>neighbour of <a href=${toPath(['records', via.source_id])}><code>${shortenId(via.source_id)}</code></a> by <bdi>${toWords(via.predicate)}</bdi> ${fused.toFixed(3)}, ${hop === 1 ? 'one step' : `${hop} steps`} away</span>`}
      ${raised && html`<span>raised to the score of <a href=${toPath(['records', raised])}><code>${shortenId(raised)}</code></a>, which is older and says nearly the same</span>`}
      ${describeFactors(signals).map(([name, factor]) => html`<span key=${name}>× ${factor.toFixed(3)} ${name}</span>`)}
    </p>`
}

/** The prior: what is more alive, more important or newer; then what depends on the question. @param {Signals} signals @returns {(readonly [string, number])[]} */
function describeFactors(signals) {
  /** @type {(readonly [string, number])[]} */
  const named = [
    ['named time', signals.time_factor],
    ['speaker', signals.speaker_factor],
    ['only a name', signals.name_factor],
    ['evidence of a fact', signals.evidence_factor],
    ['instruction or preference', signals.guidance_factor],
    ['only asks', signals.asking_factor],
    ['one of several questions', signals.question_factor],
  ]
  return [
    ['salience', signals.salience_factor],
    ['importance', signals.importance_factor],
    ['recency', signals.recency_factor],
    ...named.filter(([, factor]) => factor !== 1),
  ]
}

/**
 * When what a record says happened or was stated, as a context has it: a message may be stored long after it was written.
 * @param {SeenRecord} record
 */
function findTime(record) {
  const { created_at: created } = record
  if (isRedacted(record)) return created
  const { payload } = record
  if (payload.kind === 'episodic') return payload.conversation?.at ?? payload.timeline[0]?.t ?? created
  const stated = payload.kind === 'semantic' ? payload.evidence?.[0]?.timestamp : undefined
  return stated !== undefined && Date.parse(stated) < Date.parse(created) ? stated : created
}
