import { api } from '../../api/client.js'
import { html } from '../../html.js'
import { notify } from '../../parts/notices.js'
import { nameCount } from '../../parts/numbers.js'
import { askReason } from '../../parts/reason-dialog.js'
import { clip, isRedacted } from '../../parts/record-text.js'

/** @import { EntityRecord, MemoryRecord, SeenRecord } from '../../api/types.d.ts' */
/** @import { Because } from '../../parts/reason-dialog.js' */

/** @typedef {MemoryRecord | EntityRecord} Entity */

/** @param {Entity} entity */
export function getName({ payload }) {
  return payload.kind === 'entity' ? payload.canonical_name : ''
}

/** @param {SeenRecord} record @returns {record is MemoryRecord} */
export function isReadable(record) {
  return !isRedacted(record)
}

/**
 * Asks which entity to keep and why, then merges the others into it.
 * @param {readonly Entity[]} entities at least two; the first is proposed
 * @returns {Promise<string | undefined>} the id of the kept entity
 */
export async function askToMerge(entities) {
  const [proposed] = entities
  let kept = proposed?.id
  const isDone = await askReason({
    action: 'Merge',
    explanation: html`The kept entity gets the names, identifiers and links of the ${entities.length === 2 ? 'other' : 'others'}, which ${entities.length === 2 ? 'gets' : 'get'} the status merged.`,
    fields: [
      {
        name: 'keep',
        label: 'Keep',
        kind: 'select',
        value: kept ?? '',
        options: entities.map((entity) => ({ value: entity.id, label: describeChoice(entity) })),
      },
    ],
    act: async ({ keep }, because) => {
      kept = keep
      await merge(entities, keep ?? '', because)
    },
  })
  return isDone ? kept : undefined
}

/** Names may be equal: the type, the scope and the age tell duplicates apart. @param {Entity} entity */
function describeChoice(entity) {
  const { payload, scope, created_at: created } = entity
  const type = payload.kind === 'entity' ? payload.primary_type : ''
  return [clip(getName(entity), 60), type, scope ?? 'no scope', created.slice(0, 10)].join(' · ')
}

/** @param {readonly Entity[]} entities @param {string} keep @param {Because} because */
async function merge(entities, keep, because) {
  const sources = entities.filter(({ id }) => id !== keep).map(({ id }) => id)
  const version = entities.find(({ id }) => id === keep)?.version
  await api.post('/v1/entities/{id}/merge', {
    path: { id: keep },
    version,
    body: { source_ids: sources, ...because },
  })
  notify(`Merged ${nameCount(sources.length, 'duplicate')}.`)
}
