import { api } from '../api/client.js'
import { html } from '../html.js'
import { formatCount, formatScore, formatShare, toWords } from '../parts/numbers.js'
import { PageHead, Panel } from '../parts/panel.js'
import { Empty, showLoaded } from '../parts/states.js'
import { Time } from '../parts/time.js'
import { useRequest } from '../parts/use-request.js'
import { Bars } from '../plots/bars.js'
import { Columns } from '../plots/columns.js'
import { listComingDays, listPastDays, toBands, toBars } from '../plots/metric-series.js'
import { toPath } from '../router.js'
import { RunsPanel } from './overview-runs.js'

/** @import { StoreMetrics } from '../api/types.d.ts' */

/** The figures of the store, and its runs. */
export function View() {
  const request = useRequest((signal) => api.get('/v1/metrics', { signal }), [])
  return html`<${PageHead} title="Overview">
      <button type="button" disabled=${request.isLoading} onClick=${request.reload}>Refresh</button>
    <//>
    ${showLoaded(request, 18, (data) => html`<${Figures} metrics=${data} />`)}`
}

/** @param {{ metrics: StoreMetrics }} properties */
function Figures({ metrics }) {
  return html`${metrics.total_records === 0 && html`<${Empty} title="There are no records yet">Send one with <code>POST /v1/remember</code>, connect an agent over <code>/mcp</code>, or import a file.<//>`}
    <${Headline} metrics=${metrics} />
    <p class="note as-of">As of <${Time} at=${metrics.as_of} />${metrics.is_sampled ? '; distributions from a sample' : ''}.</p>
    <div class="panels">
      <${Panel} title="By type"><${Bars} name="Records by type" bars=${toBars(metrics.records_by_type)} unit="Records" /><//>
      <${Panel} title="By layer"><${Bars} name="Records by layer" bars=${toBars(metrics.records_by_layer)} unit="Records" /><p class="note">A higher layer lasts longer and counts more.</p><//>
      <${Panel} title="By status"><${Bars} name="Records by status" bars=${toBars(metrics.records_by_status)} unit="Records" /><//>
      <${Panel} title="Salience" aside=${html`<span class="note">mean ${formatScore(metrics.avg_salience)}</span>`}><${Bars} name="Records by salience" bars=${toBands(metrics.salience_distribution)} unit="Records" /><p class="note">How present a record is. It falls with time, and use raises it.</p><//>
      <${Panel} title="Importance"><${Bars} name="Records by importance" bars=${toBands(metrics.importance_distribution)} unit="Records" /><p class="note">The worth of a record. If a budget is full, the least important records are forgotten first.</p><//>
      <${FadingPanel} metrics=${metrics} />
      <${GrowthPanel} metrics=${metrics} />
      <${RegretPanel} metrics=${metrics} />
      <${RunsPanel} />
    </div>`
}

/** @param {{ metrics: StoreMetrics }} properties */
function Headline({ metrics }) {
  const figures = [
    ['Records', formatCount(metrics.total_records)],
    ['Active', formatCount(metrics.active_records)],
    ['Pinned', formatCount(metrics.pinned_records)],
    ['New in 24 hours', formatShare(metrics.memory_growth_rate)],
    ['Revised', formatShare(metrics.revision_rate)],
    ['Used when served', formatShare(metrics.retrieval_usefulness)],
  ]
  return html`<dl class="headline">${figures.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** @param {{ metrics: StoreMetrics }} properties */
function FadingPanel({ metrics: { fading_by_day: days } }) {
  const total = days.reduce((sum, { records }) => sum + records, 0)
  return html`<${Panel} title="Fades away in 7 days" aside=${html`<a href=${toPath(['records'], { sort: 'salience', order: 'asc' })}>faintest first</a>`}>
    <${Columns} name="Records fading in 7 days" columns=${listComingDays(days)} unit="Records" />
    <p class="note">${formatCount(total)} in all, unless they are used or pinned.</p>
  <//>`
}

/** @param {{ metrics: StoreMetrics }} properties */
function GrowthPanel({ metrics: { created_by_day: days } }) {
  const total = days.reduce((sum, { records }) => sum + records, 0)
  return html`<${Panel} title="Growth" size="double" aside=${html`<a href=${toPath(['records'], { sort: 'created_at' })}>newest first</a>`}>
    <${Columns} name="Growth: records created by day" columns=${listPastDays(days)} unit="Records" />
    <p class="note">${formatCount(total)} of these records were created in the last 30 days.</p>
  <//>`
}

/** @param {{ metrics: StoreMetrics }} properties */
function RegretPanel({ metrics: { regret } }) {
  const bars = Object.entries(regret.by_reason).map(([name, value]) => ({
    name: toWords(name),
    value,
    shown: formatShare(value),
  }))
  return html`<${Panel} title="Regret" aside=${html`<strong>${formatShare(regret.rate)}</strong>`}>
    ${bars.length === 0 ? html`<p class="note">Nothing was forgotten yet.</p>` : html`<${Bars} name="Regret by reason" bars=${bars} unit="Share" />`}
    <p class="note">The share of the forgotten records that an answer would have contained.</p>
  <//>`
}
