import type { Chat } from '../../llm/chat.ts'
import { type Ceilings, nothingSpent } from '../../llm/spending.ts'
import { askStrictly, type Reply } from '../../llm/strict-question.ts'
import type { Episode } from '../episode.ts'
import type { Triple } from '../facts/fact-groups.ts'
import { buildPrompt } from './extraction-prompt.ts'
import { ExtractionAnswer, readTriples } from './triples.ts'

/** One episode with the model's answer about it. */
export type ExtractionReply = { episode: Episode } & Reply<readonly Triple[]>

type AskOptions = { chat: Pick<Chat, 'ask'>; ceilings: Ceilings; signal: AbortSignal }

/** Asks the model for the facts of an episode. One without anything to read has none, and costs nothing. */
export async function askAboutEpisode(episode: Episode, options: AskOptions): Promise<ExtractionReply> {
  const prompt = buildPrompt(episode)
  if (!prompt) return { episode, spent: nothingSpent, answer: [] }
  const question = { ...prompt, schema: ExtractionAnswer, name: 'facts' }
  return { episode, ...(await askStrictly(question, { ...options, read: readTriples })) }
}
