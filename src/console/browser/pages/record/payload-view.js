import { useState } from 'preact/hooks'
import { html } from '../../html.js'
import { formatCount, formatShare, toWords } from '../../parts/numbers.js'
import { clip, writeValue } from '../../parts/record-text.js'
import { formatDuration, formatExact, Time } from '../../parts/time.js'
import { PlanGraph } from '../../plots/plan-graph.js'

/** @import { MemoryRecord } from '../../api/types.d.ts' */
/** @import { Markup } from '../../html.js' */

/** @typedef {MemoryRecord['payload']} Payload */
/** @template {Payload['kind']} K @typedef {Extract<Payload, { kind: K }>} Of */

/** The content of a record as a person reads it, with the whole payload below. @param {{ record: MemoryRecord }} properties */
export function PayloadView({ record: { payload } }) {
  return html`<${Readable} payload=${payload} />
    <details class="raw"><summary>Payload as JSON</summary><${LongText} text=${() => JSON.stringify(payload, undefined, 2)} isCode=${true} /></details>`
}

/** @param {{ payload: Payload }} properties @returns {Markup | Markup[]} */
function Readable({ payload }) {
  switch (payload.kind) {
    case 'semantic':
      return html`<${Fact} payload=${payload} />`
    case 'episodic':
      return html`<${Episode} payload=${payload} />`
    case 'plan_graph':
      return html`<${Plan} payload=${payload} />`
    case 'competence':
      return html`<${Skill} payload=${payload} />`
    case 'entity':
      return html`<${Entity} payload=${payload} />`
    case 'working':
      return html`<${Task} payload=${payload} />`
  }
}

const shownAtFirst = 4_000

/** A text of any length: the beginning first, the rest on request. @param {{ text: () => string, isCode?: boolean }} properties */
function LongText({ text, isCode = false }) {
  const [isWhole, setWhole] = useState(false)
  const all = text()
  const shown = isWhole ? all : clip(all, shownAtFirst)
  return html`<div>${isCode ? html`<pre class="content code" tabindex="0">${shown}</pre>` : html`<p class="content">${shown}</p>`}${!isWhole && all.length > shownAtFirst && html`<button type="button" onClick=${() => setWhole(true)}>Show all ${formatCount(all.length)} characters</button>`}</div>`
}

/** @param {{ payload: Of<'semantic'> }} properties */
function Fact({ payload: { subject, predicate, object, validity, evidence } }) {
  const isText = typeof object === 'string'
  return html`<p class="fact content">${predicate !== 'note' && html`<strong>${clip(subject, shownAtFirst)}</strong> <em>${toWords(predicate)}</em> `}${isText && object.length <= shownAtFirst ? object : null}</p>
    ${(!isText || object.length > shownAtFirst) && html`<${LongText} text=${() => (isText ? writeValue(object) : JSON.stringify(object, undefined, 2))} isCode=${!isText} />`}
    ${
      (validity.mode !== 'global' || evidence.length > 0) &&
      html`<dl class="facts">
      ${validity.mode !== 'global' && html`<dt>Valid</dt><dd>${validity.mode}${validity.start !== undefined && html` from <${Time} at=${validity.start} />`}${validity.end !== undefined && html` until <${Time} at=${validity.end} />`}${validity.conditions !== undefined && html` if <code>${clip(JSON.stringify(validity.conditions), 400)}</code>`}</dd>`}
      ${evidence.length > 0 && html`<dt>Evidence</dt><dd>${evidence.slice(0, 20).map((one, index) => html`<div key=${index}>${one.source_type} <code>${clip(one.source_id, 80)}</code>, <${Time} at=${one.timestamp} /></div>`)}</dd>`}
    </dl>`
    }`
}

const outcomeClasses = { success: 'good', failure: 'bad', partial: 'warn' }

/** @param {{ payload: Of<'episodic'> }} properties */
function Episode({ payload: { timeline, tool_graph: tools, outcome, artifacts, conversation } }) {
  return html`${
    (outcome !== undefined || conversation !== undefined) &&
    html`<p class="row">
      ${outcome !== undefined && html`<span class=${`tag ${outcomeClasses[outcome]}`}>${outcome}</span>`}
      ${conversation !== undefined && html`<span class="tag">conversation ${clip(conversation.id, 60)}</span>`}
    </p>`
  }
    <ol class="timeline">
      ${timeline.slice(0, 200).map(({ t, event_kind, summary, ref }, index) => html`<li key=${index}><time datetime=${t} title=${formatExact(t)}>${clock.format(new Date(t))}</time><div><span class="tag">${toWords(event_kind)}</span> <span class="content">${clip(summary ?? ref, shownAtFirst)}</span></div></li>`)}
    </ol>
    ${timeline.length > 200 && html`<p class="note">The first 200 of ${formatCount(timeline.length)} events; the payload below has all.</p>`}
    ${tools.length > 0 && html`<h3>Tools</h3><ul class="plain">${tools.slice(0, 50).map(({ id, tool, depends_on = [] }) => html`<li key=${id}><code>${id}</code> ${tool}${depends_on.length > 0 && html`<span class="note"> after ${depends_on.join(', ')}</span>`}</li>`)}</ul>`}
    ${artifacts.length > 0 && html`<h3>Artifacts</h3><ul class="plain">${artifacts.slice(0, 50).map((artifact) => html`<li key=${artifact} class="content">${artifact}</li>`)}</ul>`}`
}

const clock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** @param {{ payload: Of<'plan_graph'> }} properties */
function Plan({ payload }) {
  const { metrics } = payload
  return html`${payload.intent !== undefined && html`<p class="content">${clip(payload.intent, shownAtFirst)}</p>`}
    <${PlanGraph} payload=${payload} />
    ${metrics && html`<p class="note">Run ${formatCount(metrics.execution_count)} times${metrics.failure_rate !== undefined ? `, ${formatShare(metrics.failure_rate)} failed` : ''}${metrics.avg_latency_ms !== undefined ? `, ${formatDuration(metrics.avg_latency_ms / 1_000)} on average` : ''}.</p>`}`
}

/** @param {{ payload: Of<'competence'> }} properties */
function Skill({ payload: { triggers, recipe, failure_modes: failures, fallbacks, performance } }) {
  return html`${triggers.length > 0 && html`<p class="content">When: ${triggers.map(({ signal }) => signal).join('; ')}</p>`}
    <ol class="steps">${recipe.map(({ step, tool, validation }, index) => html`<li key=${index}><span class="content">${step}</span>${tool !== undefined && html` <span class="tag">${tool}</span>`}${validation !== undefined && html`<span class="note"> check: ${validation}</span>`}</li>`)}</ol>
    ${failures.length > 0 && html`<p class="content">May fail: ${failures.join('; ')}</p>`}
    ${fallbacks.length > 0 && html`<p class="content">Instead: ${fallbacks.join('; ')}</p>`}
    ${performance && html`<p class="note">${formatShare(performance.success_rate)} of ${formatCount(performance.success_count + performance.failure_count)} uses succeeded.</p>`}`
}

/** @param {{ payload: Of<'entity'> }} properties */
function Entity({
  payload: { canonical_name: name, primary_type: type, types, aliases, identifiers, summary },
}) {
  return html`<p><strong class="content">${name}</strong> <span class="tag">${type}</span>${types.filter((one) => one !== type).map((one) => html` <span key=${one} class="tag">${one}</span>`)}</p>
    ${summary !== undefined && html`<${LongText} text=${() => summary} />`}
    <dl class="facts">
      ${
        aliases.length > 0 &&
        html`<dt>Also known as</dt><dd>${aliases
          .slice(0, 50)
          .map(({ value }) => value)
          .join(', ')}</dd>`
      }
      ${identifiers.length > 0 && html`<dt>Identifiers</dt><dd>${identifiers.slice(0, 50).map(({ namespace, value }) => html`<div key=${namespace + value}><code>${namespace}:${value}</code></div>`)}</dd>`}
    </dl>`
}

/** @param {{ payload: Of<'working'> }} properties */
function Task({
  payload: {
    thread_id: thread,
    state,
    context_summary: summary,
    active_constraints: constraints,
    next_actions: next,
    open_questions: questions,
  },
}) {
  const list = (/** @type {string} */ title, /** @type {readonly string[]} */ items) =>
    items.length > 0 &&
    html`<h3>${title}</h3><ul class="plain">${items.slice(0, 100).map((item, index) => html`<li key=${index} class="content">${item}</li>`)}</ul>`
  return html`<p class="row"><span class="tag">${state}</span><code class="note">${clip(thread, 80)}</code></p>
    ${summary !== undefined && html`<${LongText} text=${() => summary} />`}
    ${list('Next', next)}${list('Open questions', questions)}
    ${constraints.length > 0 && html`<h3>Constraints</h3><dl class="facts">${constraints.slice(0, 50).map(({ key, value, required }) => html`<dt key=${key}>${key}${required ? '' : ' (optional)'}</dt><dd>${clip(writeValue(value), 400)}</dd>`)}</dl>`}`
}
