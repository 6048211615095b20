import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { formatScore } from '../../parts/numbers.js'
import { PageHead, Panel } from '../../parts/panel.js'
import { Empty, showLoaded } from '../../parts/states.js'
import { Time } from '../../parts/time.js'
import { useRequest } from '../../parts/use-request.js'
import { toPath } from '../../router.js'
import { EntityFacts } from './entity-facts.js'
import { EntityGraph } from './entity-graph.js'
import { Twins } from './entity-twins.js'

/** @import { EntityRecord } from '../../api/types.d.ts' */

/** One entity: its card, what is known about it, and what it is connected with. @param {{ id: string }} properties */
export function Entity({ id }) {
  const request = useRequest(
    (signal) => api.get('/v1/entities/{id}', { path: { id }, query: { mask_secrets: true }, signal }),
    [id],
  )
  return html`<${PageHead} title="Entities">
      <a href=${toPath(['entities'])}>All entities</a><a href=${toPath(['records', id])}>Its record</a>
    <//>
    ${showLoaded(request, 12, (data) =>
      'redacted' in data
        ? html`<${Empty} title="Redacted">Your key may know of this entity, but not read it.<//>`
        : html`<${Whole} entity=${data} isBusy=${request.isLoading} onMerged=${request.reload} />`,
    )}`
}

/** @param {{ entity: EntityRecord, isBusy: boolean, onMerged: () => void }} properties */
function Whole({ entity, isBusy, onMerged }) {
  const { payload, version } = entity
  if (payload.kind !== 'entity') return null
  return html`<div class="panels halves">
    <div class="stack">
      <${Panel} title=${payload.canonical_name} aside=${html`<span class="tag">${payload.primary_type}</span>`}><${Card} entity=${entity} /><//>
      <${EntityFacts} key=${version} id=${entity.id} />
    </div>
    <div class="stack">
      <${EntityGraph} key=${version} entity=${entity} />
      ${entity.status !== 'merged' && html`<${Twins} key=${version} entity=${entity} isBusy=${isBusy} onMerged=${onMerged} />`}
    </div>
  </div>`
}

/** @param {{ entity: EntityRecord }} properties */
function Card({ entity }) {
  const { payload, scope, sensitivity, status, salience, peer_card_id: profile } = entity
  if (payload.kind !== 'entity') return null
  const successor = entity.relations.find(({ predicate }) => predicate === 'superseded_by')
  const types = payload.types.filter((type) => type !== payload.primary_type)
  return html`${payload.summary !== undefined && html`<p class="content" dir="auto">${payload.summary}</p>`}
    <dl class="facts">
      ${payload.aliases.length > 0 && html`<dt>Also called</dt><dd class="content">${payload.aliases.map(({ value }) => value).join(', ')}</dd>`}
      ${types.length > 0 && html`<dt>Types</dt><dd>${types.join(', ')}</dd>`}
      ${payload.identifiers.map(({ namespace, value }) => html`<dt key=${`${namespace} ${value}`}><bdi>${namespace}</bdi></dt><dd><code>${value}</code></dd>`)}
      <dt>Status</dt><dd>${status}${successor && html`, into <a href=${toPath(['entities', successor.target_id])}>its successor</a>`}</dd>
      <dt>Scope</dt><dd>${scope ?? 'none'}</dd>
      <dt>Sensitivity</dt><dd>${sensitivity}</dd>
      <dt>Salience</dt><dd>${formatScore(salience)}</dd>
      <dt>Created</dt><dd><${Time} at=${entity.created_at} /></dd>
      ${profile !== undefined && html`<dt>Profile</dt><dd><a href=${toPath(['records', profile])}>Read the profile</a></dd>`}
    </dl>`
}
