import { api } from '../../api/client.js'
import { isContested } from '../../parts/record-tags.js'
import { navigate, toPath } from '../../router.js'

/** @import { MemoryRecord, Permission } from '../../api/types.d.ts' */
/** @import { Because, ExtraField } from '../../parts/reason-dialog.js' */

/** @typedef {{ path: { id: string }, version: number }} Target */
/** @typedef {Readonly<Record<string, string>>} Answers */

/**
 * @typedef {object} Action
 * @property {string} action the name of its button
 * @property {string} done
 * @property {Permission} permission
 * @property {string} explanation
 * @property {boolean} [isDangerous]
 * @property {(record: MemoryRecord) => boolean} isOffered
 * @property {(record: MemoryRecord) => string | undefined} [whyNot] why it cannot be done now
 * @property {(record: MemoryRecord) => readonly ExtraField[] | Promise<readonly ExtraField[]>} [fields]
 * @property {readonly string[]} [confirmation]
 * @property {(target: Target, because: Because, answers: Answers, record: MemoryRecord) => Promise<unknown>} run
 */

const layers = /** @type {const} */ (['working', 'episodic', 'semantic', 'procedural', 'codebase'])

/** @typedef {typeof layers[number]} Layer */

const loadSuccessor = () => import('./successor.js')

const isLive = (/** @type {MemoryRecord} */ { forgotten }) => forgotten === undefined
const isCurrent = (/** @type {MemoryRecord} */ { status }) =>
  status === 'active' || status === 'challenged' ? undefined : `The record is ${status}: it is history.`
/** @type {Readonly<Partial<Record<MemoryRecord['type'], string>>>} */
const neverRevised = {
  episodic: 'An episode is evidence and does not change.',
  working: 'A task under way is changed by its agent, with PATCH.',
}
const isRevisable = (/** @type {MemoryRecord} */ record) => neverRevised[record.type] ?? isCurrent(record)

/** @param {1 | -1} direction @param {MemoryRecord} record */
function listLayers(direction, { layer }) {
  const place = layers.indexOf(layer)
  return direction === 1 ? layers.slice(place + 1) : layers.slice(0, place).reverse()
}

/** @param {1 | -1} direction @returns {(record: MemoryRecord) => readonly ExtraField[]} */
const layerField = (direction) => (record) => {
  const options = listLayers(direction, record)
  return [{ name: 'layer', label: 'Layer', kind: 'select', options, value: options[0] ?? '' }]
}

/** @param {Answers} answers */
const findLayer = (answers) => layers.find((layer) => layer === answers['layer'])

/** Everything that can be done with one record, in the order of its buttons. @type {readonly Action[]} */
export const actions = [
  {
    action: 'Promote',
    done: 'Promoted',
    permission: 'lifecycle:write',
    isOffered: isLive,
    explanation: 'A higher layer counts for more.',
    fields: layerField(1),
    whyNot: (record) => (listLayers(1, record).length === 0 ? 'There is no higher layer.' : undefined),
    run: (target, because, answers) =>
      api.post('/v1/records/{id}/promote', { ...target, body: { ...because, ...addLayer(answers) } }),
  },
  {
    action: 'Demote',
    done: 'Demoted',
    permission: 'lifecycle:write',
    isOffered: isLive,
    explanation: 'Only uses from now on can promote the record again.',
    fields: layerField(-1),
    whyNot: (record) => (listLayers(-1, record).length === 0 ? 'There is no lower layer.' : undefined),
    run: (target, because, answers) =>
      api.post('/v1/records/{id}/demote', { ...target, body: { ...because, ...addLayer(answers) } }),
  },
  {
    action: 'Pin',
    done: 'Pinned',
    permission: 'lifecycle:write',
    isOffered: (record) => isLive(record) && !record.lifecycle.pinned,
    whyNot: isCurrent,
    explanation: 'The record keeps its salience: it neither fades nor is pruned.',
    run: (target, body) => api.post('/v1/records/{id}/pin', { ...target, body }),
  },
  {
    action: 'Unpin',
    done: 'Unpinned',
    permission: 'lifecycle:write',
    isOffered: (record) => isLive(record) && record.lifecycle.pinned,
    whyNot: isCurrent,
    explanation: 'The record fades again, from now on.',
    run: (target, body) => api.post('/v1/records/{id}/unpin', { ...target, body }),
  },
  {
    action: 'Reinforce',
    done: 'Reinforced',
    permission: 'lifecycle:write',
    isOffered: isLive,
    whyNot: isCurrent,
    explanation: 'It was of use: its salience rises, and it fades from now on.',
    run: (target, body) => api.post('/v1/records/{id}/reinforce', { ...target, body }),
  },
  {
    action: 'Penalize',
    done: 'Penalized',
    permission: 'lifecycle:write',
    isOffered: isLive,
    whyNot: isCurrent,
    explanation: 'It was wrong or of no use: its salience falls by this amount.',
    fields: () => [
      { name: 'amount', label: 'Amount', kind: 'number', value: '0.1', min: 0.01, max: 1_000, step: 0.01 },
    ],
    run: (target, because, answers) =>
      api.post('/v1/records/{id}/penalize', {
        ...target,
        body: { ...because, amount: Number(answers['amount']) },
      }),
  },
  {
    action: 'Supersede',
    done: 'Superseded',
    permission: 'records:write',
    isOffered: isLive,
    whyNot: isRevisable,
    explanation: 'A new record takes its place. This one becomes history and stays readable.',
    fields: async (record) => [await (await loadSuccessor()).createField(record)],
    run: async (target, because, answers, record) => {
      const { createSuccessor } = await loadSuccessor()
      const { record: successor } = await api.post('/v1/records/{id}/supersede', {
        ...target,
        body: { ...because, record: await createSuccessor(record, answers) },
      })
      if (successor) navigate(toPath(['records', successor.id]))
    },
  },
  {
    action: 'Contest',
    done: 'Contested',
    permission: 'records:write',
    isOffered: isLive,
    whyNot: isRevisable,
    explanation: 'There is evidence against it. It stays, marked as disputed.',
    fields: () => [
      {
        name: 'ref',
        label: 'Evidence',
        isOptional: true,
        note: 'The id of a record in the same scope, or any other reference. Empty: the reason itself.',
      },
    ],
    run: (target, because, answers) =>
      api.post('/v1/records/{id}/contest', {
        ...target,
        body: { ...because, contesting_ref: answers['ref'] || because.rationale },
      }),
  },
  {
    action: 'End contest',
    done: 'No longer contested',
    permission: 'records:write',
    isOffered: (record) => isLive(record) && isContested(record),
    explanation: 'It holds. The evidence against it stays, as history.',
    run: (target, body) => api.post('/v1/records/{id}/uncontest', { ...target, body }),
  },
  {
    action: 'Retract',
    done: 'Retracted',
    permission: 'records:write',
    isOffered: isLive,
    whyNot: isRevisable,
    isDangerous: true,
    explanation: 'It is not true. No answer has it any more; it stays readable by its id.',
    run: (target, body) => api.post('/v1/records/{id}/retract', { ...target, body }),
  },
  {
    action: 'Set outcome',
    done: 'Outcome set',
    permission: 'records:write',
    isOffered: (record) => isLive(record) && record.type === 'episodic',
    explanation: 'How the episode ended. The log keeps the earlier value.',
    fields: ({ payload }) => [
      {
        name: 'outcome',
        label: 'Outcome',
        kind: 'select',
        options: outcomes,
        value: (payload.kind === 'episodic' && payload.outcome) || 'success',
      },
    ],
    run: (target, because, answers) =>
      api.post('/v1/records/{id}/outcome', {
        ...target,
        body: {
          ...because,
          outcome: outcomes.find((outcome) => outcome === answers['outcome']) ?? 'success',
        },
      }),
  },
  {
    action: 'Forget',
    done: 'Forgotten',
    permission: 'records:write',
    isOffered: isLive,
    isDangerous: true,
    explanation: 'It leaves every list and answer at once. It can be restored until it is purged.',
    run: (target, query, _answers, record) =>
      api.delete('/v1/records/{id}', {
        ...target,
        query: { ...query, ...(record.lifecycle.pinned ? { force: true } : {}) },
      }),
  },
  {
    action: 'Restore',
    done: 'Restored',
    permission: 'lifecycle:write',
    isOffered: (record) => !isLive(record),
    explanation: 'It comes back with the salience that it had, but at least 0.1.',
    run: (target, body) => api.post('/v1/records/{id}/restore', { ...target, body }),
  },
  {
    action: 'Erase',
    done: 'Erased',
    permission: 'lifecycle:write',
    isOffered: () => true,
    isDangerous: true,
    explanation:
      'Deletes at once and for ever: the record, its content, its edges, its vectors, the texts of its log, and what was derived from it alone. Nothing brings it back, and the same content cannot be stored again.',
    confirmation: ['erase'],
    run: (target, because) =>
      api.post('/v1/records/{id}/erase', { ...target, body: { ...because, cascade: true } }),
  },
]

const outcomes = /** @type {const} */ (['success', 'failure', 'partial'])

/** @param {Answers} answers @returns {{ layer?: Layer }} */
function addLayer(answers) {
  const layer = findLayer(answers)
  return layer ? { layer } : {}
}
