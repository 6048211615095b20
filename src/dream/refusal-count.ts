import type { ModelReply } from './model-question.ts'

/** As many in a row, and it is the model that is away, not a question that it refuses. */
const maxUnavailable = 3

/** Keeps account of what a model would not answer, and says when there is no use in asking on. */
export function createRefusalCounter() {
  let unavailable = 0

  return (reply: ModelReply<unknown>): 'go on' | 'stop' => {
    const refused = 'refused' in reply ? reply.refused : undefined
    unavailable = refused === 'unavailable' ? unavailable + 1 : 0
    return refused === 'exhausted' || unavailable >= maxUnavailable ? 'stop' : 'go on'
  }
}
