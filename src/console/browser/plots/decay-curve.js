import { useId, useMemo, useState } from 'preact/hooks'
import { html } from '../html.js'
import { formatScore } from '../parts/numbers.js'
import { Panel } from '../parts/panel.js'
import { describePace, formatDay, formatDuration, formatRelative } from '../parts/time.js'
import { reinforceAt, tracePast } from './salience-history.js'
import { TimeLines } from './time-lines.js'

/** @import { AuditEntry, Explanation, Forecast, MemoryRecord } from '../api/types.d.ts' */

const steps = 200
const tick = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const formatTick = (/** @type {number} */ value) => tick.format(value)

/**
 * The salience of a record: what it was, what it is, and what becomes of it, also if it is reinforced some day.
 * @param {{ record: MemoryRecord, log: readonly AuditEntry[], explanation: Explanation, forecast: Forecast }} properties
 */
export function DecayCurve({ record, log, explanation, forecast }) {
  const noteId = useId()
  const now = Date.parse(forecast.as_of)
  const end = Date.parse(forecast.points.at(-1)?.at ?? forecast.as_of)
  const [step, setStep] = useState(0)
  const at = now + (step / steps) * (end - now)
  const past = useMemo(() => tracePast(record, log, explanation, now), [record, log, explanation, now])
  const canReinforce = record.status === 'active' || record.status === 'challenged'
  const next = useMemo(
    () => (canReinforce ? reinforceAt(record, forecast, at) : undefined),
    [record, forecast, at, canReinforce],
  )
  const isPinned = record.lifecycle.pinned
  const { pruned } = forecast.crossings
  const lines = useMemo(
    () => describeLines(past, forecast, isPinned ? undefined : next),
    [past, forecast, next, isPinned],
  )
  const markers = [
    { at: now, label: 'now', colour: '--text-soft' },
    ...(pruned === null ? [] : [{ at: Date.parse(pruned), label: 'fades away', colour: '--bad' }]),
    ...(next && !isPinned ? [{ at, label: step === 0 ? '' : 'reinforced', colour: '--good' }] : []),
  ]
  const most = Math.max(
    1,
    record.lifecycle.decay.max_salience ?? 1,
    ...past.map(({ salience }) => salience),
    next?.after ?? 0,
  )
  const move = (/** @type {number} */ moment) =>
    setStep(Math.round(Math.min(1, Math.max(0, (moment - now) / Math.max(1, end - now))) * steps))
  return html`<${Panel} title="Decay" aside=${html`<${Legend} hasWhatIf=${next !== undefined && !isPinned} />`}>
    <${TimeLines} name="Decay curve" describedBy=${noteId} lines=${lines} markers=${markers} most=${most} format=${formatTick} onMove=${next && !isPinned ? move : undefined} />
    <p id=${noteId} class="note">${describeCourse(record, forecast)}</p>
    ${
      next &&
      !isPinned &&
      html`<div class="what-if">
        <label for=${`${noteId}-when`}>Reinforce later</label>
        <input id=${`${noteId}-when`} type="range" min="0" max=${steps} value=${step} aria-valuetext=${describeMoment(at, now)} onInput=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ event) => setStep(Number(event.currentTarget.value))} />
        <p aria-live="polite">${describeWhatIf(next, at, now, pruned)}</p>
      </div>`
    }
  <//>`
}

/**
 * @param {readonly { at: number, salience: number }[]} past
 * @param {Forecast} forecast
 * @param {ReturnType<typeof reinforceAt> | undefined} next
 */
function describeLines(past, forecast, next) {
  const points = (/** @type {readonly { at: number, salience: number }[]} */ traced) =>
    traced.map(({ at, salience }) => ({ at, value: salience }))
  const ahead = forecast.points.map(({ at, salience }) => ({ at: Date.parse(at), value: salience }))
  return [
    { label: 'Until now', colour: '--accent', isFilled: true, points: points(past) },
    { label: 'Forecast', colour: '--accent', isDashed: true, points: ahead },
    {
      label: 'Reinforced',
      colour: '--good',
      isDashed: true,
      points: next ? [{ at: next.points[0]?.at ?? 0, value: next.before }, ...points(next.points)] : [],
    },
  ]
}

/** @param {{ hasWhatIf: boolean }} properties */
function Legend({ hasWhatIf }) {
  return html`<ul class="legend">
    <li><span class="swatch" aria-hidden="true"></span>until now</li>
    <li><span class="swatch dashed" aria-hidden="true"></span>forecast</li>
    ${hasWhatIf && html`<li><span class="swatch dashed good" aria-hidden="true"></span>if reinforced</li>`}
  </ul>`
}

/**
 * @param {MemoryRecord} record
 * @param {Forecast} forecast
 */
function describeCourse(record, { salience, crossings, as_of }) {
  const now = `Salience ${formatScore(salience)} now`
  if (record.lifecycle.pinned) return `${now}. The record is pinned: it does not fade.`
  const from = Date.parse(as_of)
  const half =
    crossings.half && Date.parse(crossings.half) > from
      ? ` Half is left ${formatRelative(crossings.half, from)}.`
      : ''
  const end = crossings.pruned
    ? ` It fades away ${formatRelative(crossings.pruned, from)}, on ${formatDay(crossings.pruned)}.`
    : ' It is not pruned.'
  return `${now}, ${describePace(record.lifecycle.decay)}.${half}${end}`
}

/** @param {number} at @param {number} now */
function describeMoment(at, now) {
  return at - now < 60_000 ? 'now' : `in ${formatDuration((at - now) / 1_000)}`
}

/**
 * @param {ReturnType<typeof reinforceAt>} next
 * @param {number} at
 * @param {number} now
 * @param {string | null} pruned
 */
function describeWhatIf({ before, after, end }, at, now, pruned) {
  const change = `Reinforced ${describeMoment(at, now)}: salience ${formatScore(before)} → ${formatScore(after)}`
  if (pruned === null || end === undefined) return `${change}.`
  const gained = (end - Date.parse(pruned)) / 1_000
  return `${change}; fades away on ${formatDay(new Date(end).toISOString())}${gained > 60 ? `, ${formatDuration(gained)} later` : ''}.`
}
