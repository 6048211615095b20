/**
 * Words in which a person states what a question asks of them in other words: "Where do I live?" is answered by "We moved to Lisbon",
 * and "Do I have pets?" by "Our cat sleeps all day". Only in English.
 */

const word = "[a-z'’-]+"
/** Asks for one of these: "my pets?", "do I have any pets?", "which pets do I have?". */
const asksFor = (nouns: string) =>
  [
    `\\bmy (?:${word} ){0,2}(?:${nouns})\\W*$`,
    `\\b(?:got|have|keep|own)(?: ${word}){0,4} (?:${nouns})\\W*$`,
    `\\b(?:how many|what|which)(?: ${word}){0,3} (?:${nouns})(?: ${word}){0,2} (?:am|are|can|did|do|have) i(?: ${word}){0,2}\\W*$`,
    `\\babout my (?:${nouns})\\W*$`,
  ].join('|')

const regions = 'area|city|country|neighbou?rhood|part|place|region|state|street|town|village'
const living = '(?:based|live|lived|living|located|reside|settled|stay|staying)'
const free =
  '(?:for fun|in (?:my|the) (?:free|spare) time|(?:at|in|on) (?:my |the )?(?:evenings?|fridays?|saturdays?|sundays?|weekends?)(?: nights?)?)'

/** What is asked for, and words of the statements. */
const forms: readonly [pattern: string, words: string][] = [
  [
    `${asksFor('names?|nickname')}|\\b(?:am i called|(?:address|call|know) me|who (?:am i|i am))\\W*$`,
    'name nickname call known',
  ],
  [
    `\\bwhere (?:am|are|did|do|have) i(?: ${word})? ${living}\\b|\\bwhere am i(?: now)?\\W*$|${asksFor('address|home|house')}|\\b(?:what|which)(?: ${word}){0,2} (?:${regions})(?: ${word}){0,2} (?:am|do) i (?:in|${living})\\b`,
    'live home house flat apartment rent move settle base city town street neighbourhood',
  ],
  [
    `\\bwhat (?:am|do) i(?: ${word})? (?:do|doing)(?: for (?:a job|a living|money|work))?\\W*$|\\bwhere (?:am|do) i (?:employed|work|working)\\W*$|${asksFor('career|employer|job|line of work|occupation|profession|work')}|\\b(?:kind|line|sort|type) of (?:job|work) (?:am|do) i\\b|\\bearn (?:a|my) living\\b`,
    'job work career company office boss shift hire employ colleague teach taught teacher nurse doctor engineer developer designer driver drive manager lawyer accountant chef writer scientist student retire',
  ],
  [
    `\\bhow old (?:am|are) i\\b|\\b(?:when|what year|which year)(?: was)? i(?: was)? born\\b|\\bwas i born\\W*$|${asksFor('age|birthday|birth date|date of birth')}`,
    'age birthday birth born turn year old',
  ],
  [
    `\\bwhere(?: ${word})? (?:am|are|did|do|was|were) i(?: ${word})? (?:born|from|grow up|raised)\\b|\\b(?:what|which)(?: ${word})? (?:${regions}) (?:am|did|do) i(?: ${word})? from\\b|${asksFor('childhood|home ?town|(?:home|native) country|nationality|origins?|roots')}`,
    'originally native born raise grow grew childhood hometown',
  ],
  [
    `\\bam i(?: still)? (?:dating|divorced|engaged|in a relationship|married|seeing|single|taken)\\b(?: (?:anyone|somebody|someone|to|with))?\\W*$|${asksFor('boyfriend|fianc[eé]e?|girlfriend|husband|(?:marital|relationship) status|partner|significant other|spouse|wife')}`,
    'wife husband marry wedding partner girlfriend boyfriend fiance engage divorce date broke together anniversary',
  ],
  [
    `${asksFor('child|children|daughters?|kids?|sons?')}|\\bam i a (?:dad|father|mom|mother|mum|parent)\\W*$`,
    'son daughter kid child baby twin boy girl lad toddler eldest oldest youngest kindergarten pregnant',
  ],
  [
    `${asksFor('animals?|pets?')}|\\b(?:animals?|pets?) lives? with me\\W*$`,
    'pet dog puppy cat kitten rabbit parrot bird fish hamster horse',
  ],
  [
    `\\bam i(?: an?)? (?:allergic|intolerant|vegan|vegetarian)\\b|${asksFor('allerg(?:y|ies)|diet|dietary (?:needs|preferences|requirements|restrictions)|intolerances?')}|\\b(?:can['’]?t|cannot|don['’]?t|not|shouldn['’]?t)(?: i)? (?:drink|eat)\\b|\\bi (?:avoid|not eat)(?: eating)?\\W*$`,
    'allergic allergy intolerant vegetarian vegan diet eat meat fish nut peanut gluten lactose milk dairy shellfish',
  ],
  [
    `\\bhow (?:am|do) i (?:commut|get(?:ting)? to|go(?:ing)? to|travel)|\\bwhat do i (?:drive|ride)\\W*$|${asksFor('bikes?|cars?|commute|vehicles?')}`,
    'commute drive car van bike bicycle cycle walk bus train tram metro subway ferry',
  ],
  [
    asksFor('languages?|(?:mother|native) tongue'),
    'speak fluent native learn english german french spanish italian portuguese arabic chinese mandarin japanese hindi polish turkish',
  ],
  [
    `${asksFor('hobb(?:y|ies)|interests|pastimes?')}|\\b(?:am|do) i(?: ${word}){0,3} (?:do|doing) ${free}\\W*$`,
    'hobby weekend evening love enjoy play sing paint garden hike climb run swim read cook dance',
  ],
  [
    `${asksFor('degree|education|major|qualifications?|school|university')}|\\b(?:did|do) i (?:attend|go to) (?:college|school|university)\\b|\\bwhat (?:am|did|do) i (?:major|study|studying)\\b`,
    'school college university degree study graduate',
  ],
]

const compiled = forms.map(([pattern, words]): [RegExp, string] => [new RegExp(pattern, 'i'), words])

/** In characters. A longer question says more itself. */
const longest = 80

const name = '\\p{Lu}[\\p{L}’-]{1,30}(?: \\p{Lu}[\\p{L}’-]{1,30})?'
/** What is asked of a person who is named, as that person asks it: "Does Ada have pets?" is "do i have pets?". */
const named: readonly [RegExp, string][] = [
  [/\b(?:we|us)\b/gi, 'i'],
  [/\bour\b/gi, 'my'],
  [new RegExp(`(?<=[a-z] )${name}['’]s (?=[a-z])`, 'gu'), 'my '],
  [new RegExp(`\\bdoes ${name}(?= )`, 'gu'), 'do i'],
  [new RegExp(`\\bdid ${name}(?= )`, 'gu'), 'did i'],
  [new RegExp(`(?<!\\b[Ww]ho )\\b(?:is|Is) ${name}(?= |\\?)`, 'gu'), 'am i'],
  [new RegExp(`\\bwas ${name}(?= )`, 'gu'), 'was i'],
  [new RegExp(`\\bhas ${name}(?= )`, 'gu'), 'have i'],
]

/** The words that an answer may have; empty if nothing of this is asked of a person. */
export function listStatementWords(question: string): string {
  if (question.length > longest) return ''
  const asked = named.reduce((text, [pattern, first]) => text.replace(pattern, first), question)
  return compiled.flatMap(([pattern, words]) => (pattern.test(asked) ? words : [])).join(' ')
}
