import { useState } from 'preact/hooks'
import { api } from '../../api/client.js'
import { may } from '../../api/session.js'
import { html } from '../../html.js'
import { Field } from '../../parts/fields.js'
import { Panel } from '../../parts/panel.js'
import { showLoaded } from '../../parts/states.js'
import { useRequest } from '../../parts/use-request.js'
import { navigate, toPath } from '../../router.js'
import { askToMerge, getName, isReadable } from './merging.js'

/** @import { EntityRecord, MemoryRecord } from '../../api/types.d.ts' */

const most = 8

/**
 * Other entities that may be the same thing. None can be merged while the entity is loaded again: its version may be old.
 * @param {{ entity: EntityRecord, isBusy: boolean, onMerged: () => void }} properties
 */
export function Twins({ entity, isBusy, onMerged }) {
  const [term, setTerm] = useState(getName(entity))
  const request = useRequest((signal) => findTwins(entity, term, signal), [term])
  /** @param {MemoryRecord} twin */
  async function merge(twin) {
    const kept = await askToMerge([entity, twin])
    if (kept === entity.id) onMerged()
    else if (kept !== undefined) navigate(toPath(['entities', kept]))
  }
  return html`<${Panel} title="Possible duplicates">
    <div class="fields"><${Field} label="Name of a duplicate" type="search" value=${term} maxlength="1000" autocomplete="off" onChange=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ { currentTarget }) => setTerm(currentTarget.value.trim())} /></div>
    ${showLoaded(request, 2, (data) =>
      data.length === 0
        ? html`<p class="note">No other active entity has these words in its name.</p>`
        : html`<ul class="twins">${data.map(
            (twin) =>
              html`<li key=${twin.id}><a class="clipped-line" href=${toPath(['entities', twin.id])}><bdi>${getName(twin)}</bdi></a> <span class="note">${twin.scope ?? 'no scope'}</span>${may('records:write') && html`<button type="button" aria-label=${`Merge ${getName(twin)}`} disabled=${isBusy} onClick=${() => merge(twin)}>Merge</button>`}</li>`,
          )}</ul>`,
    )}
  <//>`
}

/**
 * @param {EntityRecord} entity
 * @param {string} term
 * @param {AbortSignal} signal
 */
async function findTwins(entity, term, signal) {
  if (term === '') return []
  const [named, worded] = await Promise.all([
    api.get('/v1/entities', { query: { term }, signal }),
    api.get('/v1/records', {
      query: { type: 'entity', status: 'active', q: term.slice(0, 1_000), limit: most + 1 },
      signal,
    }),
  ])
  const byId = new Map([...named.items, ...worded.items.filter(isReadable)].map((one) => [one.id, one]))
  return [...byId.values()].filter(({ id }) => id !== entity.id).slice(0, most)
}
