import { html } from '../../html.js'
import { formatScore, nameCount, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { RecordId } from '../../parts/record-id.js'
import { RecordLine } from '../../parts/record-line.js'
import { formatDuration } from '../../parts/time.js'
import { useRecords } from '../../parts/use-records.js'

/** @import { Explanation, MemoryRecord } from '../../api/types.d.ts' */
/** @import { ComponentChildren } from 'preact' */

/** Why a record counts as it does: the figures of `/explain`, in sentences. @param {{ record: MemoryRecord, explanation: Explanation }} properties */
export function ReasonsPanel({ record, explanation }) {
  const { importance, worth, surprise, keeping, removal } = explanation
  const hidden = explain(record, removal)
  return html`${hidden && html`<${Panel} title="Why hidden"><p>${hidden}</p>${removal && html`<${Removal} removal=${removal} />`}<//>`}
    <${Panel} title="Why important" aside=${html`<strong>${formatScore(importance.value)}</strong>`}>
      <${Parts} parts=${Object.entries(importance.factors).map(([name, factor]) => ({ name, ...factor }))} />
      <p class="note">Worth keeping ${formatScore(keeping.value)}: a budget forgets the lowest first. Base importance ${formatScore(importance.base_importance)}.</p>
      ${worth && html`<details><summary>How the content was judged: ${formatScore(worth.value)}</summary><${Parts} parts=${worth.parts} /></details>`}
    <//>
    <${Panel} title="Why surprising" aside=${surprise && html`<strong>${surprise.duplicate_of ? 'duplicate' : formatScore(surprise.score)}</strong>`}>
      ${surprise ? html`<${Surprise} surprise=${surprise} />` : html`<p class="note">Not compared: it has no vector, or its content was removed.</p>`}
    <//>`
}

/**
 * The parts that add up to a figure, the largest first.
 * @param {{ parts: readonly { name: string, value: number, weight: number, contribution: number }[] }} properties
 */
function Parts({ parts }) {
  const sorted = [...parts]
    .filter(({ contribution }) => contribution !== 0)
    .sort((one, other) => Math.abs(other.contribution) - Math.abs(one.contribution))
  const most = Math.max(0.001, ...sorted.map(({ contribution }) => Math.abs(contribution)))
  if (sorted.length === 0) return html`<p class="note">No part counts.</p>`
  return html`<table class="parts">
    <thead class="unseen"><tr><th scope="col">Part</th><th scope="col">Size</th><th scope="col">Contribution</th></tr></thead>
    <tbody>
      ${sorted.map(
        ({
          name,
          value,
          weight,
          contribution,
        }) => html`<tr key=${name} title=${`${toWords(name)}: value ${formatScore(value)} × weight ${formatScore(weight)}`}>
          <th scope="row">${toWords(name)}</th>
          <td class="part-bar"><span class="bar-track"><span class=${contribution < 0 ? 'bar-fill less' : 'bar-fill'} style=${{ width: `${(100 * Math.abs(contribution)) / most}%` }}></span></span></td>
          <td class="number">${contribution < 0 ? '−' : '+'}${Math.abs(contribution).toFixed(3)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`
}

/** A neighbour at least so similar has something in common with the record. */
const nearLeast = 0.5

/** @param {{ surprise: NonNullable<Explanation['surprise']> }} properties */
function Surprise({ surprise }) {
  const { delta, base_before: before, neighbours, duplicate_of: twin } = surprise
  const effect =
    delta === 0
      ? 'Its base importance stays'
      : `This moved its base importance from ${formatScore(before)} by ${delta > 0 ? '+' : '−'}${Math.abs(delta).toFixed(2)}`
  return html`<p>${describeSurprise(surprise)}. ${effect}.</p>
    ${twin && html`<p>It is a duplicate of <${RecordId} id=${twin} /></p>`}
    ${neighbours.length > 0 && html`<${Nearest} neighbours=${neighbours} />`}`
}

/** @param {NonNullable<Explanation['surprise']>} surprise */
function describeSurprise({ score, neighbours, duplicate_of: twin }) {
  if (score < 0.2 || twin) return 'It repeats what was known'
  if (score < 0.6) return 'It adds to what was known'
  const isNear = neighbours.some(({ similarity }) => similarity >= nearLeast)
  return isNear ? 'It is mostly new' : 'It is unlike anything known'
}

/** @param {{ neighbours: NonNullable<Explanation['surprise']>['neighbours'] }} properties */
function Nearest({ neighbours }) {
  const known = useRecords(neighbours.map(({ id }) => id))
  return html`<h3>Nearest</h3>
    <ul class="plain nearest">${neighbours.map(({ id, similarity }) => html`<li key=${id}><span class="note">${formatScore(similarity)}</span><${RecordLine} id=${id} known=${known} /></li>`)}</ul>`
}

/**
 * @param {MemoryRecord} record
 * @param {Explanation['removal']} removal
 * @returns {ComponentChildren}
 */
function explain({ status, payload, forgotten }, removal) {
  if (removal && forgotten)
    return `It was forgotten: ${toWords(removal.reason)}, by the rule ${toWords(removal.rule)}. Lists and answers leave it out.`
  if (status === 'superseded' || status === 'merged')
    return `It is ${status}: answers show its successor instead.`
  if (status === 'invalidated') return 'It was retracted or invalidated: no answer has it.'
  if (
    payload.kind === 'semantic' &&
    payload.validity.end !== undefined &&
    Date.parse(payload.validity.end) < Date.now()
  )
    return 'It is no longer valid: its time has ended, so answers leave it out.'
  if (status === 'challenged') return 'It is contested: answers show it as disputed, after other records.'
  return undefined
}

/** @param {{ removal: NonNullable<Explanation['removal']> }} properties */
function Removal({ removal: { numbers } }) {
  const { salience, base_salience: base, elapsed_seconds: elapsed, keeping, retention, accesses } = numbers
  return html`<dl class="facts">
    <dt>Salience then</dt><dd>${formatScore(salience)}${base !== salience && `; it was ${formatScore(base)} ${formatDuration(elapsed)} before`}</dd>
    ${keeping !== undefined && html`<dt>Worth keeping</dt><dd>${formatScore(keeping)}</dd>`}
    ${retention !== undefined && html`<dt>Retention</dt><dd>${formatScore(retention)}</dd>`}
    ${accesses !== undefined && html`<dt>Uses</dt><dd>${nameCount(accesses, 'use')}</dd>`}
  </dl>`
}
