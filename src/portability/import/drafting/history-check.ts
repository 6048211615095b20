import { mayBecome, mayBeRestored } from '../../../domain/lifecycle/status.ts'
import { formatIdentifier } from '../../../domain/payloads/distinct-identifiers.ts'
import { isHistory } from '../../../domain/schemas/vocabulary.ts'
import { countCodeBytes, decode } from '../../../domain/vectors/vector-codes.ts'
import type { Fault } from '../../../kernel/errors.ts'
import type { KeptEmbedding } from '../../kept-history.schemas.ts'
import type { ImportedRecord } from '../../portability.schemas.ts'

/** Lists the contradictions in the history that a line gives. */
export function findHistoryFaults(given: ImportedRecord, now: Date): Fault[] {
  return [
    ...findLateTimes(given, now),
    ...findBrokenChain(given),
    ...findForbiddenMoves(given),
    ...findBrokenScores(given),
    ...findRewrittenEvents(given),
    ...findImpossibleResults(given),
    ...findAccessFaults(given),
    ...findBrokenForgetting(given),
    ...findForeignIdentifiers(given),
    ...findBrokenVectors(given),
  ]
}

function findBrokenForgetting({ forgotten, lifecycle }: ImportedRecord): Fault[] {
  if (!forgotten) return []
  return selectBroken([
    [
      lifecycle?.deletion_policy === 'never',
      { pointer: '/forgotten', message: 'must be absent when deletion_policy is never' },
    ],
    [
      new Date(forgotten.purge_at) < new Date(forgotten.at),
      { pointer: '/forgotten/purge_at', message: 'must not be before forgotten.at' },
    ],
  ])
}

function findForeignIdentifiers({ identifiers = [], payload }: ImportedRecord): Fault[] {
  const own = new Set(payload.kind === 'entity' ? payload.identifiers?.map(formatIdentifier) : [])
  return identifiers.flatMap((each, index) =>
    own.has(formatIdentifier(each))
      ? []
      : [{ pointer: `/identifiers/${index}`, message: 'is not an identifier of the entity in payload' }],
  )
}

function findLateTimes(given: ImportedRecord, now: Date): Fault[] {
  const each = <K extends string>(name: string, member: K, list: readonly Record<K, string>[] = []) =>
    list.map((item, index): [string, string] => [`/${name}/${index}/${member}`, item[member]])
  const times: [string, string | undefined][] = [
    ['/anchors/anchored_at', given.anchors?.anchored_at],
    ['/lifecycle/last_reinforced_at', given.lifecycle?.last_reinforced_at],
    ['/updated_at', given.updated_at],
    ['/last_accessed_at', given.last_accessed_at],
    ['/demoted_at', given.demoted_at],
    ['/forgotten/at', given.forgotten?.at],
    ['/surprise/at', given.surprise?.at],
    ...each('embeddings', 'embedded_at', given.embeddings),
    ...each('audit_log', 'timestamp', given.audit_log),
    ...each('status_history', 'changed_at', given.status_history),
    ...each('importance_history', 'changed_at', given.importance_history),
    ...each('access_log', 'at', given.access_log),
  ]
  return times
    .filter(([, time]) => time !== undefined && new Date(time) > now)
    .map(([pointer]) => ({ pointer, message: 'must not be in the future' }))
}

/** Each status change must start with the status before it, and the last must lead to the status of the record. */
function findBrokenChain({ status_history: moves = [], status = 'active' }: ImportedRecord): Fault[] {
  const faults = findBrokenMoves('/status_history', moves, 'new status')
  const last = moves.at(-1)
  if (last && last.new !== status)
    faults.push({ pointer: '/status', message: `must be ${last.new}, the last status in status_history` })
  return faults
}

function findBrokenMoves(
  pointer: string,
  moves: readonly { old: string | number; new: string | number }[],
  noun: string,
): Fault[] {
  return moves.flatMap((move, index) => {
    const before = moves[index - 1]
    if (move.old === move.new)
      return [{ pointer: `${pointer}/${index}/new`, message: 'must differ from old' }]
    if (!before || before.new === move.old) return []
    const message = `must be ${before.new}, the ${noun} of the entry before`
    return [{ pointer: `${pointer}/${index}/old`, message }]
  })
}

/** The first change starts with a status that a new record can have, and each is one that the service would make. */
function findForbiddenMoves({ status_history: moves = [] }: ImportedRecord): Fault[] {
  return moves.flatMap((move, index) => {
    const pointer = `/status_history/${index}`
    if (index === 0 && isHistory(move.old))
      return [{ pointer: `${pointer}/old`, message: 'must be active or challenged in the first entry' }]
    const isPossible =
      mayBecome(move.old, move.new) ||
      (['revert', 'undo'].includes(move.step) && mayBeRestored(move.old, move.new))
    return isPossible || move.old === move.new
      ? []
      : [{ pointer: `${pointer}/new`, message: `must be a status to which ${move.old} can change` }]
  })
}

/** Each importance must start with the one before it, and the last must be that of the record. */
function findBrokenScores({ importance_history: moves = [], importance }: ImportedRecord): Fault[] {
  const faults = findBrokenMoves('/importance_history', moves, 'new value')
  const last = moves.at(-1)
  if (last && last.new !== importance)
    faults.push({ pointer: '/importance', message: `must be ${last.new}, the last in importance_history` })
  return faults
}

/** Only the outcome of an episode changes after it was written. */
function findRewrittenEvents({ type, audit_log: entries = [] }: ImportedRecord): Fault[] {
  if (type !== 'episodic') return []
  return entries.flatMap(({ changes = {} }, index) =>
    Object.keys(changes).some((name) => name.startsWith('payload') && name !== 'payload.outcome')
      ? [{ pointer: `/audit_log/${index}/changes`, message: 'must not change the payload of an episode' }]
      : [],
  )
}

/** The highest gain of a surprising record. */
const maxSurpriseGain = 0.3

function findImpossibleResults({ id, type, surprise, consolidation }: ImportedRecord): Fault[] {
  return selectBroken([
    [
      type !== 'episodic' && (consolidation?.due.length ?? 0) > 0,
      { pointer: '/consolidation/due', message: 'must be empty for a record that is not an episode' },
    ],
    [
      surprise && surprise.delta > (surprise.duplicate_of === undefined ? maxSurpriseGain : 0),
      {
        pointer: '/surprise/delta',
        message: `must be at most ${maxSurpriseGain}, and at most 0 for a duplicate`,
      },
    ],
    [
      id !== undefined && surprise?.duplicate_of === id,
      { pointer: '/surprise/duplicate_of', message: 'must be another record' },
    ],
  ])
}

function selectBroken(rules: readonly [isBroken: boolean | undefined, fault: Fault][]): Fault[] {
  return rules.flatMap(([isBroken, fault]) => (isBroken ? [fault] : []))
}

function findBrokenVectors({ embeddings = [] }: ImportedRecord): Fault[] {
  return embeddings.flatMap((embedding, index) =>
    isVector(embedding)
      ? []
      : [{ pointer: `/embeddings/${index}/code`, message: 'is not a vector of these dimensions and bits' }],
  )
}

const signatureBytes = 128

function isVector({ code, signature, dimensions, bits }: KeptEmbedding): boolean {
  const bytes = Buffer.from(code, 'base64')
  if (bytes.length !== countCodeBytes(dimensions, bits)) return false
  return (
    Buffer.from(signature, 'base64').length === signatureBytes &&
    decode(bytes, dimensions, bits).every(Number.isFinite)
  )
}

/** Finds counts of accesses that contradict the access log of the same line. */
function findAccessFaults(given: ImportedRecord): Fault[] {
  const {
    access_count: times = 0,
    served_count: served = 0,
    last_accessed_at: last,
    access_log: log = [],
  } = given
  const servedInLog = log.filter(({ kind }) => kind === 'served').length
  const isLater = log.some(({ at }) => last !== undefined && new Date(at) > new Date(last))
  return selectBroken([
    [served > times, { pointer: '/served_count', message: 'must be at most access_count' }],
    [
      log.length > times,
      { pointer: '/access_count', message: 'must be at least the number of entries in access_log' },
    ],
    [
      servedInLog > served,
      { pointer: '/served_count', message: 'must be at least the number of served entries in access_log' },
    ],
    [
      times > 0 !== (last !== undefined),
      {
        pointer: '/last_accessed_at',
        message: 'must be present when access_count is above 0, and absent when it is 0',
      },
    ],
    [
      log.some(({ kind, key_id }) => kind === 'used' && key_id !== undefined),
      { pointer: '/access_log', message: 'names a key_id in an entry that is not served' },
    ],
    [isLater, { pointer: '/last_accessed_at', message: 'must not be before the newest entry of access_log' }],
  ])
}
