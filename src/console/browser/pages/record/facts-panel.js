import { html } from '../../html.js'
import { formatCount, formatScore, toWords } from '../../parts/numbers.js'
import { Panel } from '../../parts/panel.js'
import { clip } from '../../parts/record-text.js'
import { describePace, formatDuration, Time } from '../../parts/time.js'

/** @import { MemoryRecord } from '../../api/types.d.ts' */

/** The fields of a record. @param {{ record: MemoryRecord }} properties */
export function FactsPanel({ record }) {
  const { decay, deletion_policy: policy, last_reinforced_at: reinforced } = record.lifecycle
  const cap = decay.max_salience === null ? 'no cap' : `at most ${decay.max_salience}`
  return html`<${Panel} title="Details">
    <dl class="facts">
      <dt>Sensitivity</dt><dd>${record.sensitivity}</dd>
      <dt>Kind</dt><dd>${record.memory_kind}</dd>
      <dt>Confidence</dt><dd>${formatScore(record.confidence)}, confirmed ${formatCount(record.confirmation_count)} times</dd>
      <dt>Uses</dt><dd>${formatCount(record.access_count)}, last <${Time} at=${record.last_accessed_at} /></dd>
      <dt>Created</dt><dd><${Time} at=${record.created_at} /></dd>
      <dt>Changed</dt><dd><${Time} at=${record.updated_at} />, version ${formatCount(record.version)}</dd>
      <dt>Reinforced</dt><dd><${Time} at=${reinforced} /></dd>
      <dt>Decay</dt><dd>${describePace(decay)}, gain ${decay.reinforcement_gain}, ${cap}</dd>
      <dt>Deletion</dt><dd>${toWords(policy)}${decay.max_age_seconds > 0 ? `, at the latest after ${formatDuration(decay.max_age_seconds)}` : ''}</dd>
      <dt>Source</dt><dd>${toWords(record.source_type)}${record.provenance.sources.slice(0, 10).map(({ kind, ref }, index) => html`<div key=${index}>${toWords(kind)} <code>${clip(ref, 120)}</code></div>`)}${record.provenance.sources.length > 10 && html`<div class="note">and ${formatCount(record.provenance.sources.length - 10)} more</div>`}</dd>
      <dt>Tags</dt><dd>${record.tags.length === 0 ? html`<span class="none">none</span>` : html`<span class="row">${record.tags.map((tag) => html`<span key=${tag} class="tag">${tag}</span>`)}</span>`}</dd>
    </dl>
  <//>`
}
