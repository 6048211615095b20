import { countWords } from '../../domain/words/text-query.ts'

/** Finds out whether a question asks what is under way. Only in English. */

const doer = '(?:i|we|you|the user)'
const now = '(?: (?:currently|still|now|just|last))?'
const end = '(?: (?:now|today|this week|for me|for us|for today|last time))?[?.! ]*$'
const open = '(?:open|current|ongoing|pending|unfinished|remaining|active)'

const forms = [
  `what (?:am|are|is|was|were|have|has|had|did) ${doer}${now}(?: been)? (?:working on|work on|doing|up to|busy with)`,
  `what (?:should|shall|must|can|do|does|will) ${doer} (?:(?:need|have|want|plan) to )?do (?:next|now|first)`,
  `what (?:do|does|did) ${doer} (?:still )?(?:need|have|plan) to do${end}`,
  `what(?:['’]?s| is| was) (?:still )?(?:next|left(?: to do)?|${open}|under ?way|in progress|on my plate|to do)${end}`,
  `where (?:did ${doer} (?:leave|stop)|was (?:i|the user)|were we)(?: off)?${end}`,
  `${open} (?:tasks?|to-?dos?|work items?|work)\\b`,
  `(?:my|our|user['’]s) (?:tasks|to-?dos|to-?do list)\\b`,
  `(?:tasks?|work) (?:(?:are|is|that are|that is) )?(?:still )?(?:${open}|under ?way|in progress)\\b`,
  `(?:continue|resume|pick up)(?: (?:with|on))?(?: (?:my|our|the))? (?:work|tasks?|where ${doer})\\b`,
]

const asking = new RegExp(`\\b(?:${forms.join('|')})`, 'i')

/** In words. A longer text is about something else. */
const longest = 30

/** Whether a question asks for the tasks under way, as "What was I working on?". The tasks have no word of such a question. */
export function asksForTasks(question: string): boolean {
  return asking.test(question) && countWords(question) <= longest
}
