import type { Transaction } from '../../db/transaction.ts'
import { createThreadHandle } from '../../domain/identity/handles.ts'
import { getRank, type Sensitivity, sensitivities } from '../../domain/trust/caller.ts'
import { AppError } from '../../kernel/errors.ts'
import { loadManyForUpdate, lookUpHandles, type StoredRecord } from '../../records/index.ts'
import type { CaptureContext } from '../capture-context.ts'
import { chooseTask, continuesTask } from './task-update.ts'

/**
 * The locked record that a report updates, the id of a less sensitive record that a new one is linked to, and the
 * place of a new record among those of the thread.
 */
export type Thread = { stored: StoredRecord | undefined; relatedTaskId: string | undefined; place: number }

export const noThread: Thread = { stored: undefined, relatedTaskId: undefined, place: 0 }

/**
 * Finds the task of a thread and locks it until the transaction ends. Fails with `above_ceiling` if the only record
 * is one that the caller may see only redacted. A record that is hidden from the caller is ignored, so that its
 * existence is not revealed.
 */
export async function findThread(
  tx: Transaction,
  context: CaptureContext,
  threadId: string,
): Promise<Thread> {
  const { caller } = context
  const handle = { ...createThreadHandle(threadId), scope: context.scope, lock: 'always' as const }
  const findings = await lookUpHandles(tx, [handle], findNextAbove(caller.trust.maxSensitivity))
  const [found = { known: [], nextPlace: 0 }] = findings.matches
  const chosen = chooseTask(found.known, context, caller.trust)
  const [stored] = chosen ? await loadManyForUpdate(tx, { caller }, [chosen.id]) : []
  if (stored instanceof AppError && stored.code === 'above_ceiling') throw stored
  const isActive = stored !== undefined && !(stored instanceof AppError) && stored.status === 'active'
  if (!isActive) return { ...noThread, place: found.nextPlace }
  return continuesTask(stored, context)
    ? { stored, relatedTaskId: undefined, place: found.nextPlace }
    : { stored: undefined, relatedTaskId: stored.id, place: found.nextPlace }
}

function findNextAbove(sensitivity: Sensitivity): Sensitivity {
  return sensitivities[getRank(sensitivity) + 1] ?? sensitivity
}
