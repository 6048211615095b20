import type { Chat } from '../../llm/chat.ts'
import { type Ceilings, nothingSpent } from '../../llm/spending.ts'
import { putQuestion, type Reply } from '../../llm/strict-question.ts'
import type { Said } from '../facts/fact-groups.ts'
import type { Episode } from '../stages.ts'
import { promptFor } from './extraction-prompt.ts'
import { ExtractionAnswer, readTriples } from './triples.ts'

/** One episode put to the model, and what came of it. */
export type Asked = { episode: Episode } & Reply<readonly Said[]>

type Asking = { chat: Pick<Chat, 'ask'>; ceilings: Ceilings; signal: AbortSignal }

export async function askFor(episode: Episode, asking: Asking): Promise<Asked> {
  const prompt = promptFor(episode)
  if (!prompt) return { episode, spent: nothingSpent, answer: [] }
  const question = { ...prompt, schema: ExtractionAnswer, name: 'facts' }
  return { episode, ...(await putQuestion(question, { ...asking, read: readTriples })) }
}
