import { maxSalience } from '../../../domain/lifecycle/curves.ts'
import { maxDecaySeconds } from '../../../domain/lifecycle/lifecycle.ts'
import { omitNulls } from '../../../kernel/omit-nulls.ts'
import {
  asFields,
  type Fields,
  pick,
  readNumber,
  readTags,
  readTime,
  readWord,
  requireText,
} from '../fields.ts'
import { createFactPayload, createNotePayload } from '../item-forms.ts'
import type { Item, Reader, RecordItem } from '../items.ts'
import { readParts } from '../part-reading.ts'

const memories: ReadonlySet<string> = new Set(['', 'items', 'memories'])
const lists: ReadonlySet<string> = new Set([...memories, 'temporal_facts'])

/** Tables as JSON, or the answer of `GET /memory/all`. Waypoints and temporal edges have no text and are left out. */
export const readOpenmemory: Reader = (file) =>
  readParts(file, lists, (value, line, list) => {
    const fields = asFields(value)
    return [memories.has(list) ? readMemory(fields, line) : readFact(fields, line)]
  })

function readMemory(fields: Fields, line: number): Item {
  const source = requireText(fields, 'id')
  const payload = createNotePayload(
    readWord(fields, 'user_id', 'userId') ?? 'openmemory',
    requireText(fields, 'content'),
  )
  const sector = readWord(fields, 'primary_sector', 'primarySector')
  const { tags = [] } = readTags({ tags: parseList(pick(fields, 'tags')) }, 'tags')
  const labels = [...tags, ...(sector === undefined ? [] : [sector])]
  const createdAt = readTime(fields, 'created_at', 'createdAt')
  return {
    line,
    source,
    createdAt,
    record: {
      type: 'semantic',
      payload,
      ...(labels.length === 0 ? {} : { tags: [...new Set(labels)] }),
      ...readStrength(fields),
    },
  }
}

type Strength = Required<Pick<RecordItem['record'], 'salience' | 'lifecycle'>>

const secondsPerDay = 86_400

/**
 * The salience at the last use, and the rate at which it falls in a day; with the rate 0 it never falls. Without a rate it
 * falls by the policy, from the import on.
 */
function readStrength(fields: Fields): Partial<Strength> {
  const salience = readNumber(fields, 'salience')
  const rate = readNumber(fields, 'decay_lambda', 'decayLambda')
  const seen = readTime(fields, 'last_seen_at', 'lastSeenAt')
  return omitNulls({
    salience: salience === undefined ? null : Math.min(Math.max(salience, 0), maxSalience),
    lifecycle: rate === undefined || rate < 0 ? null : readDecay(rate, seen),
  })
}

function readDecay(rate: number, seen: string | undefined): Strength['lifecycle'] {
  const halfLife = Math.round((Math.LN2 / rate) * secondsPerDay)
  return omitNulls({
    last_reinforced_at: seen,
    decay: { curve: 'exponential', half_life_seconds: Math.min(Math.max(halfLife, 1), maxDecaySeconds) },
  })
}

/** A list is stored as the text of a JSON array. */
function parseList(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value.split(',').map((each) => each.trim())
  }
}

function readFact(fields: Fields, line: number): Item {
  const subject = requireText(fields, 'subject')
  const predicate = requireText(fields, 'predicate')
  const object = requireText(fields, 'object')
  const start = readTime(fields, 'valid_from', 'validFrom')
  const end = readTime(fields, 'valid_to', 'validTo')
  const id = readWord(fields, 'id') ?? JSON.stringify([subject, predicate, object, start ?? null])
  const payload = createFactPayload({ subject, predicate, object }, { start, end })
  const confidence = readNumber(fields, 'confidence')
  const createdAt = readTime(fields, 'created_at')
  const record = {
    type: 'semantic' as const,
    payload,
    ...(confidence === undefined ? {} : { confidence: Math.min(Math.max(confidence, 0), 1) }),
  }
  return { line, source: `fact:${id}`, record, createdAt, happenedAt: start }
}
