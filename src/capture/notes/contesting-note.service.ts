import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import { createFaultError } from '../../kernel/errors.ts'
import type { WrittenRecord } from '../../records/index.ts'
import type { RevisionService } from '../../revision/index.ts'
import type { TextNote } from './notes.schemas.ts'
import type { NotesService } from './notes.service.ts'

type Resources = { db: Database; notes: NotesService; revision: RevisionService }
type Why = { actor: string; rationale: string }

export type ContestingNotes = ReturnType<typeof createContestingNotes>

export function createContestingNotes({ db, notes, revision }: Resources) {
  /** Stores the text that speaks against a fact, and contests the fact with it. A context then shows both. */
  async function contestWithNote(
    call: CallContext,
    id: string,
    { note, ...why }: Why & { note: TextNote },
  ): Promise<{ record: WrittenRecord; contesting: WrittenRecord }> {
    return transact(db, call, async (tx) => {
      const { record: contesting } = await notes.remember({ caller: call.caller, tx }, note)
      if (contesting.id === id.toLowerCase())
        throw createFaultError('A record cannot contest itself.', {
          pointer: '/text',
          message: 'must not be what the fact says',
        })
      const record = await revision.contest({ ...call, tx }, id, { contesting_ref: contesting.id, ...why })
      return { record, contesting }
    })
  }

  return { contestWithNote }
}
