import { hasTopic } from './topic-words.ts'

/** Finds in a message to an agent the words around its question: greetings, thanks, and how to answer. Only in English. */

const greeting = /^\s{0,9}(?:hi|hey|hello|good (?:morning|afternoon|evening))\b(?: there| again)?[,.!:]?/i
const thanks =
  /\b(?:thanks|thank you)(?: again| a lot| so much| very much)?(?: in advance)?[.!]{0,3}\s{0,9}$/i
const opening =
  /\b(?:(?:a |one |just a )?quick question\b|I(?:['’]m| am| was)(?: just)? (?:wondering|curious),?|do you (?:happen to |still )?(?:know|recall|remember)(?: this| that)?[?:,]|please\b|question(?=:))/gi
/** That something is to be found out: "The user wants to know when …", "Find out where …". */
const wish =
  /^\s{0,9}(?:please )?(?:(?:I|we|the user)(?:['’](?:d|m|re|s))? (?:just |also )?(?:(?:am|are|is|was|were|would) )?(?:ask(?:ed|ing|s)|like|need(?:ed|s)?|try(?:ing)?|want(?:ed|s)?|wonder(?:ed|ing|s)?)(?: to)?(?: (?:check|determine|figure out|find out|know|learn|remember|see))?|check|determine|figure out|find(?: out)?|look up)[,:]? (?=(?:how|if|what|when|where|whether|which|who|whom|whose|why)\b)/i
/** That something is to be confirmed: "Is it true that …". */
const claim = /^\s{0,9}(?:is it (?:correct|right|true) that|true or false[,:]?|fact[- ]check[,:])\s/i
/** How often something happened, or when the last time was: there are messages of each time, and none of them says "times". */
const manyTimes = /\bhow many times\b/gi
const lastTime = /\bwhen was the (?:very )?(?:first|last|latest|most recent) time(?: that| when)?(?=\s)/gi
/** Where the answer is to come from: "Based on the conversation, …", "Look in your memory and …". */
const source =
  /(?<=^|[.?!:,]|\bplease|\s{2})\s{0,3}(?:according to|based on|check|look (?:at|in|into|through)|search|use|using) (?:all |my |our |the |your )?(?:above |earlier |past |previous )?(?:chats?|context|conversations?|history|memor(?:y|ies)|messages|notes)(?: (?:above|history|so far))?(?:,|:| and\b)/gi
/** What the answer is to look like: "Answer in one short sentence.", "answer the following question as briefly as you can:". */
const form =
  /(?<=^|[.?!:,]|\band|\bplease|\s{2})\s{0,3}(?:answer|reply|respond)(?: (?:the|this|my) (?:following |next )?question)?(?: (?:briefly|concisely|shortly|only|with|in|as|(?:brief|concise|short)(?:ly)?|possible|you can|at most|an?|one|two|three|single|few|short|phrase|words?|sentences?|lines?|date|number|name|yes|or|no|English)\b){0,9}(?:[.!:]|$)/gi

/**
 * The question without these words: "Hey, quick question: where does Ada live? Answer in one sentence." is about where Ada lives.
 * Unchanged where nothing else would be left.
 */
export function dropFraming(question: string): string {
  const unframed = [form, greeting, thanks, source, opening, wish, claim].reduce(
    (left, framing) => left.replace(framing, '  '),
    question,
  )
  const asked = unframed.replace(manyTimes, 'how').replace(lastTime, 'when')
  // A colon after such words stays, because a sentence ends there.
  return hasTopic(asked) ? asked.replace(/^[\s:,]+/, '').trim() : question
}
