import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import { type SourceType, unscoped } from '../../domain/trust/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import {
  lockTombstonesShared,
  lockVisibleRecords,
  type MemoryRecord,
  type NewRecord,
  type RecordsService,
  requireWhole,
} from '../../records/index.ts'
import type { RevisionService } from '../../revision/index.ts'
import { formatSource } from './note-draft.ts'
import { type NotesService, requirePast } from './notes.service.ts'
import { reviseStatement } from './revised-statement.ts'

type Resources = {
  db: Database
  clock: Clock
  notes: NotesService
  records: RecordsService
  revision: RevisionService
}

type Restatement = {
  text: string
  occurred_at?: string | undefined
  source_type?: SourceType | undefined
  actor: string
  rationale: string
}

type Fact = MemoryRecord & { payload: Extract<MemoryRecord['payload'], { kind: 'semantic' }> }

export type RestatingService = ReturnType<typeof createRestatingService>

const maxSubjects = 20

export function createRestatingService({ db, clock, notes, records, revision }: Resources) {
  /**
   * Supersedes a fact by what a text says about the same subject. The fact is locked before it is read, so that no other change is
   * lost, and a change at the same moment, such as a reinforcement, only makes this one wait.
   */
  async function restate(
    call: CallContext,
    id: string,
    { text, occurred_at: time, source_type, ...why }: Restatement,
  ) {
    return transact(db, call, async (tx) => {
      const { caller } = call
      const now = clock.now()
      requirePast(time, now)
      await lockTombstonesShared(tx)
      await lockVisibleRecords(tx, [id], call.caller.trust)
      const old = requireFact(requireWhole(await records.read(caller, id, { tx })))
      const { revision: _, ...said } = old.payload
      const evidence = {
        source_type: 'event' as const,
        source_id: formatSource(caller),
        timestamp: time ?? now.toISOString(),
      }
      const subjects = await readSubjects({ caller, tx }, old)
      const names = [old.payload.subject, ...subjects.flatMap(listNames)]
      const record = omitNulls<NewRecord>({
        type: 'semantic',
        source_type,
        relations: await linkEntities({ caller, tx }, old, { text, subjects }),
        payload: { ...said, ...reviseStatement(old.payload, names, text), evidence: [evidence] },
      })
      return revision.supersede({ ...call, tx }, id, { record, ...why })
    })
  }

  /** The subjects of a fact stay. The other entities are those that the new text names, as in a remembered text. */
  async function linkEntities(
    call: CallContext,
    { scope = unscoped, sensitivity }: Fact,
    { text, subjects }: { text: string; subjects: readonly MemoryRecord[] },
  ) {
    const kept = subjects.map(({ id }) => id)
    const named = await notes.findEntities(call, { text, scope, sensitivity })
    const others = named.filter(({ id }) => !kept.includes(id))
    return [
      ...kept.map((id) => ({ predicate: 'subject_entity', target_id: id })),
      ...others.map(({ id }) => ({ predicate: 'mentions_entity', target_id: id })),
    ]
  }

  async function readSubjects({ caller, tx }: CallContext, { relations }: Fact): Promise<MemoryRecord[]> {
    const subjects = relations.filter(({ predicate }) => predicate === 'subject_entity')
    const ids = subjects.slice(0, maxSubjects).map(({ target_id: id }) => id)
    return records.listReadable(caller, ids, { tx })
  }

  /** What the subject of a fact is called: first by the names of its entities. */
  async function nameSubject(call: CallContext, fact: Fact): Promise<string> {
    return (await readSubjects(call, fact)).flatMap(listNames)[0] ?? fact.payload.subject
  }

  return { restate, nameSubject }
}

export function isFact(record: MemoryRecord): record is Fact {
  return record.payload.kind === 'semantic'
}

function requireFact(record: MemoryRecord): Fact {
  if (record.payload.kind === 'episodic')
    throw new AppError('episodic_immutable', 'An episode cannot be changed.')
  if (!isFact(record))
    throw new AppError('type_mismatch', 'Only the text of a fact can be replaced by a text.')
  return record
}

function listNames({ payload }: MemoryRecord): string[] {
  return payload.kind === 'entity'
    ? [payload.canonical_name, ...payload.aliases.map(({ value }) => value)]
    : []
}
