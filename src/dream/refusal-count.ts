import type { ModelReply } from './model-question.ts'

/** After this many refusals in a row the model is unavailable; the questions are not the cause. */
const maxUnavailable = 3

/** Returns a function that counts refused questions and says whether to go on. */
export function createRefusalCounter() {
  let unavailable = 0

  return (reply: ModelReply<unknown>): 'go on' | 'stop' => {
    const refused = 'refused' in reply ? reply.refused : undefined
    unavailable = refused === 'unavailable' ? unavailable + 1 : 0
    return refused === 'exhausted' || unavailable >= maxUnavailable ? 'stop' : 'go on'
  }
}
