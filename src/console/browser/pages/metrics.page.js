import { api } from '../api/client.js'
import { html } from '../html.js'
import { PageHead, Panel } from '../parts/panel.js'
import { showLoaded } from '../parts/states.js'
import { Time } from '../parts/time.js'
import { useRequest } from '../parts/use-request.js'
import { Bars } from '../plots/bars.js'
import { Columns } from '../plots/columns.js'
import { describeFigures } from './metrics-figures.js'

/** @import { StoreMetrics } from '../api/types.d.ts' */
/** @import { Figure, Group } from './metrics-figures.js' */

/** Every figure of `GET /v1/metrics`, in groups. */
export function View() {
  const request = useRequest((signal) => api.get('/v1/metrics', { signal }), [])
  return html`<${PageHead} title="Metrics">
      ${request.data && html`<span class="note">As of <${Time} at=${request.data.as_of} /></span>`}
      <button type="button" disabled=${request.isLoading} onClick=${request.reload}>Refresh</button>
    <//>
    ${showLoaded(request, 14, (data) => html`<${Groups} metrics=${data} />`)}`
}

/** @param {{ metrics: StoreMetrics }} properties */
function Groups({ metrics }) {
  return html`<div class="stack">
    ${metrics.is_sampled && html`<p class="note">Figures marked <span class="tag">sampled</span> come from a sample of about 20,000 records; counts are exact.</p>`}
    <div class="panel-columns">${describeFigures(metrics).map((group) => html`<${GroupPanel} key=${group.title} group=${group} isSampled=${metrics.is_sampled} />`)}</div>
  </div>`
}

/** @param {{ group: Group, isSampled: boolean }} properties */
function GroupPanel({ group: { title, figures, bars, dailyCounts = [] }, isSampled }) {
  return html`<${Panel} title=${title}>
    ${figures.length > 0 && html`<dl class="figures">${figures.map((figure) => html`<${Line} key=${figure.label} figure=${figure} isSampled=${isSampled} />`)}</dl>`}
    ${bars.map(
      ({ label, unit, isSampled: isPart, bars }) => html`<div key=${label} class="stack">
        <h3>${label}${isPart && isSampled && html` <span class="tag">sampled</span>`}</h3>
        <${Bars} name=${label} bars=${bars} unit=${unit} />
      </div>`,
    )}
    ${dailyCounts.map(({ label, columns }) => html`<div key=${label} class="stack"><h3>${label}</h3><${Columns} name=${label} columns=${columns} unit="Records" /></div>`)}
  <//>`
}

/** @param {{ figure: Figure, isSampled: boolean }} properties */
function Line({ figure: { label, value, unit, note, isSampled: isPart }, isSampled }) {
  return html`<div>
    <dt>${label}${isPart && isSampled && html` <span class="tag">sampled</span>`}</dt>
    <dd>${value}${unit !== undefined && html` <span class="note figure-unit">${unit}</span>`}</dd>
    <dd class="note">${note}</dd>
  </div>`
}
