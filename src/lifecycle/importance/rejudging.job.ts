import type { Transaction } from '../../db/transaction.ts'
import { readContent } from '../../domain/payloads/message-content.ts'
import { type ConversationSignals, judgeWorth } from '../../domain/worth/worth.ts'
import { placeInConversation } from '../../domain/worth/worth-context.ts'
import type { WrittenMessage } from '../../domain/worth/written-message.ts'
import { walkTable } from '../../jobs/runs/run-walk.ts'
import type { RunContext } from '../../jobs/runs/runs.ts'
import { rescore } from './importance.queries.ts'
import { claimUnjudged, type Judgeable, listJudgeable, writeJudgements } from './rejudging.queries.ts'
import { type ConversationPlace, findMessagesBefore } from './worth.queries.ts'

/** Records per batch. A batch holds the locks of its records until it ends. */
const size = 200

/**
 * Judges the worth of records that were stored before worth was judged. A judged record is not judged again, so a run
 * that another worker continues writes nothing twice.
 */
export async function judgeOldRecords(context: RunContext): Promise<void> {
  const { scope, startedAt: now, id: runId } = context.run
  await walkTable(context, {
    part: 'worth',
    size,
    claim: (tx, portion) => claimUnjudged(tx, { ...portion, scope }),
    perform: async (tx, ids) => {
      const judged = await judge(tx, await listJudgeable(tx, ids))
      await writeJudgements(tx, judged, { now, runId })
      await rescore(tx, { ids, now, runId })
      return { counts: { judged: judged.length } }
    },
  })
}

async function judge(tx: Transaction, records: readonly Judgeable[]) {
  const places = new Map(records.flatMap((each) => toConversationPlace(each)))
  const before = await findMessagesBefore(tx, [...places.values()])
  const messagesBefore = new Map([...places.keys()].map((id, at) => [id, before[at] ?? []]))
  return records.map(({ id, payload }) => ({
    id,
    ...judgeWorth(payload, readSignals(payload, messagesBefore.get(id))),
  }))
}

function toConversationPlace({
  id,
  scope,
  sensitivity,
  conversation,
  at,
  arrival,
}: Judgeable): [string, ConversationPlace][] {
  if (conversation === null || at === null || arrival === null) return []
  return [[id, { scope, sensitivity, conversation, at, arrival }]]
}

function readSignals(
  payload: Judgeable['payload'],
  before: readonly WrittenMessage[] | undefined,
): ConversationSignals {
  if (before === undefined || payload.kind !== 'episodic' || !payload.conversation) return {}
  const { role, name } = payload.conversation
  return placeInConversation([{ role, name, text: readContent(payload) }], before)[0] ?? {}
}
