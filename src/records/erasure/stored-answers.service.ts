import type { Transaction } from '../../db/transaction.ts'
import {
  deleteAnswersAbout,
  deleteConversationAnswers,
  type ErasedMessages,
  reduceAnswersAbout,
  reduceConversationAnswers,
  reduceInBatchAnswers,
  reduceInCaptureAnswers,
  removeFromBatchAnswers,
  removeFromCaptureAnswers,
  removeMessageIds,
} from './stored-answers.queries.ts'

export async function removeFromAnswers(tx: Transaction, erasedIds: readonly string[]): Promise<void> {
  await deleteAnswersAbout(tx, erasedIds)
  await removeFromBatchAnswers(tx, erasedIds)
  await removeFromCaptureAnswers(tx, erasedIds)
}

/** Call it after the messages are erased. */
export async function clearMessageAnswers(tx: Transaction, erased: ErasedMessages): Promise<void> {
  await deleteConversationAnswers(tx, erased)
  await reduceConversationAnswers(tx, erased)
  await removeMessageIds(tx, erased.ids)
}

/** Kept records may have lost words that stored answers quote. */
export async function reduceAnswers(tx: Transaction, keptIds: readonly string[]): Promise<void> {
  if (keptIds.length === 0) return
  await reduceAnswersAbout(tx, keptIds)
  await reduceInBatchAnswers(tx, keptIds)
  await reduceInCaptureAnswers(tx, keptIds)
}
