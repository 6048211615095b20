/** The question mark of an address asks nothing. */
export function isQuestion(text: string): boolean {
  return /[?？؟]/u.test(text.includes('://') ? text.replace(/:\/\/\S*/g, ' ') : text)
}

/** In a transcript of speech, or where sentences end without a mark. In English only. */
export function asksWithoutMarks(text: string): boolean {
  return !holdsMarks(text) && asks.test(text)
}
const asks =
  /\b(?:do|does|did|are|have|will|would|can|could|should) (?:you|they)\b|\b(?:what|how)(?:'s| is| are| do| does| did| was| about)\b/i

/** Whether the ends of sentences are marked. */
function holdsMarks(text: string): boolean {
  return /[.!?。！？]/u.test(text)
}
