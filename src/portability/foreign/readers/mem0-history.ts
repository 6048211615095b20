import { compareTexts } from '../../../kernel/text-order.ts'
import { mapInTurns } from '../../../kernel/turns.ts'
import { createFieldError, type Fields, pick, readTime, readWord, requireText } from '../fields.ts'
import { createNotePayload } from '../item-forms.ts'
import { type Item, type Reader, type RecordItem, refuseItem } from '../items.ts'
import { type Rows, readTable } from '../sqlite-table.ts'

/** The names of the table and of its columns, in Python and in TypeScript. */
const tables = {
  history: ['memory_id', 'old_memory', 'new_memory', 'event', 'created_at', 'updated_at'],
  memory_history: ['memory_id', 'previous_value', 'new_value', 'action', 'created_at', 'updated_at'],
}

/** More events than the largest file holds in practice; a file of tiny rows must not fill the memory. */
const maxEvents = 500_000
/** The events of one memory are put in order at once. */
const maxEventsOfMemory = 10_000
/** Rows that are read before others get their turn. */
const rowsPerTurn = 2_000

/**
 * The `history.db` in which mem0 keeps what became of each memory. A memory is the chain of its texts: an update supersedes the
 * text before it, a deletion retracts the last one.
 */
export const readMem0History: Reader = (file) =>
  readTable(file, tables, async function* (rows) {
    const memories = await groupEvents(rows)
    for (const places of memories.values()) {
      try {
        if (places.length > maxEventsOfMemory)
          throw createFieldError('memory_id', `must not have more than ${maxEventsOfMemory} events`)
        yield* readMemory(await mapInTurns(places, (place) => readEvent(file.parse, rows, place)))
      } catch (error) {
        yield refuseItem(places[0]?.line ?? 1, error)
      }
    }
  })

/** `line` is the position of the event in the table. */
type Place = { rowid: number; line: number }
type Event = { line: number; fields: Fields }

/** The places of the events of each memory, in the order of the table. */
async function groupEvents(rows: Rows): Promise<Map<unknown, Place[]>> {
  const memories = new Map<unknown, Place[]>()
  let line = 0
  for (const { rowid, key: memory } of rows.list()) {
    if (++line > maxEvents) throw rows.createError(`has more than ${maxEvents} events`)
    if (line % rowsPerTurn === 0) await new Promise(setImmediate)
    const places = memories.get(memory)
    if (places) places.push({ rowid, line })
    else memories.set(memory, [{ rowid, line }])
  }
  return memories
}

/** Parsed as JSON, so that a text that cannot be stored is refused as in every other format. */
function readEvent(parse: (bytes: Buffer) => unknown, rows: Rows, { rowid, line }: Place): Event {
  return { line, fields: parse(Buffer.from(JSON.stringify(rows.read(rowid)))) as Fields }
}

type Version = { line: number; text: string; at: string | undefined }

function readMemory(events: readonly Event[]): Item[] {
  const versions: Version[] = []
  let isDeleted = false
  const add = (version: Version) => {
    if (versions.at(-1)?.text !== version.text) versions.push(version)
  }
  for (const { line, fields } of sortByTime(events)) {
    const event = requireText(fields, 'event', 'action').toUpperCase()
    const old = readWord(fields, 'old_memory', 'previous_value')
    const createdAt = readTime(fields, 'created_at')
    // The history may begin later than the memory.
    if (versions.length === 0 && old !== undefined) add({ line, text: old, at: createdAt })
    isDeleted = event === 'DELETE'
    if (event !== 'ADD' && event !== 'UPDATE') continue
    const at = event === 'ADD' ? (createdAt ?? readTime(fields, 'updated_at')) : readEventTime(fields)
    add({ line, text: requireText(fields, 'new_memory', 'new_value'), at })
  }
  const memory = requireText(events[0]?.fields ?? {}, 'memory_id')
  const endOfLast = isDeleted ? 'invalidated' : undefined
  return versions.map((version, index) => {
    const isLast = index === versions.length - 1
    const ended = isLast ? endOfLast : 'superseded'
    return readVersion(memory, { ...version, index, ended, isLast })
  })
}

type Placed = Version & { index: number; isLast: boolean; ended: RecordItem['ended'] }

/** The number of a version stays the same when the history grows. */
function readVersion(memory: string, { line, text, at, index, isLast, ended }: Placed): Item {
  const formatId = (number: number) => `history:${JSON.stringify([memory, number])}`
  return {
    line,
    source: formatId(index),
    ref: `mem0:${memory}`,
    record: { type: 'semantic', payload: createNotePayload('mem0', text) },
    createdAt: at,
    ended,
    supersedes: index === 0 ? undefined : formatId(index - 1),
    supersededBy: isLast ? undefined : formatId(index + 1),
  }
}

function readEventTime(fields: Fields): string | undefined {
  return readTime(fields, 'updated_at') ?? readTime(fields, 'created_at')
}

/** An event without a time of its own stays behind the one before it. */
function sortByTime(events: readonly Event[]): readonly Event[] {
  let last = ''
  const timed = events.map((event) => {
    const own = pick(event.fields, 'updated_at') === undefined ? undefined : readEventTime(event.fields)
    last = own ?? (last === '' ? (readEventTime(event.fields) ?? '') : last)
    return { event, at: last }
  })
  return timed.sort((one, other) => compareTexts(one.at, other.at)).map(({ event }) => event)
}
