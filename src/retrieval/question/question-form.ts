/** How sentences end, and how questions look. The words are only those of English. */

/** "Dr. Ada", "e.g. this" and "J. Smith" go on after the full stop. */
export const sentenceEnd =
  /(?<=[?!…:？！。؟]["'”’)\]]?|(?<!(?:^|[\s(])(?:\p{L}|\p{Lu}\p{Ll}{1,2}|Prof|\p{L}\.\p{L}))\.["'”’)\]]?)\s+|(?<=[？！。])|\n+/u

export const endsAsQuestion = /[?？؟]["'”’)\]\s]*$/u

const verb = '(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might)'

const questionBegin = `(?:${[
  'who\\b',
  "(?:what|when|where|why|how)['’]s\\b",
  `(?:when|where|why|whom)\\s+${verb}\\b`,
  `(?:what|which|whose|how)\\s+(?:[\\w'’-]+\\s+){0,4}?${verb}\\b`,
  '(?:is|are|was|were|does|did|has|had)\\b',
].join('|')})`

/** "when did Ada move", without a question mark, but not "When the build is done, deploy it." */
export const beginsAsQuestion = new RegExp(
  `^\\W{0,9}(?:(?:and|but|ok|okay|please|so|well)\\b\\W{0,9})?(?:${questionBegin}|(?:(?:can|could|will|would) you (?:please )?)?(?:tell|remind) me\\b)`,
  'i',
)

/** "Could you look through what we have and find out where Ada lives?", of which the second group is asked. */
export const requestedQuestion =
  /^(\W{0,9}(?:(?:can|could|would|will) you|please|I(?:['’]d| would| just)? (?:like|need|want))\b[^?.!]{0,80}?\b(?:check|figure out|find out|know|look up|see|(?:remind|show|tell) me)[,:]?)\s+((?:who|whom|whose|what|when|where|why|how|which|if|whether)\b.*)$/is

/** Where a further question begins within a sentence: "Where did Ada find the ring, and who made it?" */
export const nextQuestion = new RegExp(
  `,?\\s{1,9}(?:and|but|or)(?: also)?,?\\s{1,9}(?=${questionBegin})`,
  'i',
)
