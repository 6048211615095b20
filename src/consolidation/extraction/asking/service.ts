import type { Chat } from '../../../models/chat.ts'
import { ModelFailure } from '../../../models/failure.ts'
import type { Said } from '../../facts/gathering.ts'
import type { Episode } from '../../stages.ts'
import { promptFor } from '../prompt.ts'
import { type Ceilings, nothingSpent, priceOf, type Spent } from '../spending.ts'
import { ExtractionAnswer, readTriples } from '../triples.ts'

/** One episode put to the model, and what came of it. */
export type Reply = { episode: Episode; spent: Spent } & (
  | { facts: readonly Said[] }
  | { failure: ModelFailure }
)

const retries = 2

export async function askFor(
  episode: Episode,
  { chat, ceilings, signal }: { chat: Pick<Chat, 'ask'>; ceilings: Ceilings; signal: AbortSignal },
): Promise<Reply> {
  const prompt = promptFor(episode)
  if (!prompt) return { episode, spent: nothingSpent, facts: [] }
  const asked = prompt.system + prompt.user
  try {
    const answer = await chat.ask({ ...prompt, schema: ExtractionAnswer, name: 'facts' }, { retries, signal })
    const spent = priceOf(asked, answer, ceilings)
    const facts = readTriples(answer.value)
    return facts ? { episode, spent, facts } : { episode, spent, failure: new ModelFailure('invalid_answer') }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    // An answer that could not be read was paid for all the same.
    const isPaid = error.reason === 'invalid_answer'
    const spent = isPaid ? priceOf(asked, { promptTokens: 0, completionTokens: 0 }, ceilings) : nothingSpent
    return { episode, spent, failure: error }
  }
}

/** Whoever is asked next would fail in the same way: the key, the address or the model is wrong, or nobody waits. */
export function isHopeless({ reason, status }: ModelFailure): boolean {
  const isRefused = reason === 'refused' && (status === 401 || status === 403 || status === 404)
  return isRefused || reason === 'misconfigured' || reason === 'aborted'
}
