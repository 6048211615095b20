import { isQuestion } from './questions.ts'

/** In characters. Longer texts with such verbs are often tasks, such as exercises of a book. */
const longest = 120

/** Whether a short text says how something is, and asks for nothing: "The spare key is with Ada". In English only. */
export function isStatement(text: string): boolean {
  const said = text.trim()
  return (
    said.length <= longest &&
    !/[\n_]/.test(said) &&
    !isQuestion(said) &&
    verbs.test(said) &&
    !beginsRequest.test(said)
  )
}

const verbs =
  /\w (?:is|are|was|were|has|have|had|will|must|should|may|can|cannot|needs?|doesn't|don't|isn't|won't|can't|comes?|goes|gets?|works?|stays?|starts?|ends?|lies|lives|moved)\b/i

const beginsRequest =
  /^\W*(?:(?:please|ok|so|and|now|then|also|hey|hi) )*(?:what|who|when|where|why|how|which|whose|is|are|do|does|did|can|could|would|will|should|write|rewrite|give|tell|show|make|create|find|list|explain|suggest|translate|summari[sz]e|generate|recommend|convert|compare|describe|provide|help|let|act|design|calculate|solve|extract|improve|imagine|assume|consider|use|add|correct|fix|check|continue|answer|pretend|yes|you|if|given|in the|for (?:the|this)|the following)\b/i
