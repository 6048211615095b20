import { asksForHelp, isAboutReplies } from './asker-in-question.ts'
import { hasTopic } from './topic-words.ts'

/** Finds at the beginning of a question that memory is asked: "What do we know about …", "Search for information on …". Only in English. */

const split = (text: string) => new Set(text.trim().split(/\s+/))

/** What is kept, and what is done with it. */
const ofMemory: ReadonlySet<string> = split(`
anything context details entries entry everything facts idea info information knowledge know known memories memory mention mentioned
mentions recall record records recorded remember remind retrieve saved stored tell`)

/** A request with one of these words goes on with a question: "I need to find where …". */
const finding: ReadonlySet<string> = split('check determine figure find identify look lookup search see')

/** The other words of such a request. */
const others: ReadonlySet<string> = split(`
a again all any are available be been can contain contains conversation conversations could did do does existing fetch
for from get give got has have how i in into is it list long me messages more much my need of on our out past please
previous provide pull query related relevant said say share should show some something store summarise summarize
summary term that the there through to under up us user want was we what will with would you your`)

const ofRequest: ReadonlySet<string> = new Set([...ofMemory, ...finding, ...others])

/** What is asked for follows, as after "related to". */
const links: ReadonlySet<string> = split('about concerning containing for mentioning of on regarding')
const openEnds: ReadonlySet<string> = split('anything everything')
const questionWords: ReadonlySet<string> = split('how if what when where whether which who whom whose why')

const label =
  /^\s{0,9}(?:action|goal|lookup|query|recall|search|step \d{1,3}|sub-?goal|task|thought|question)\s{0,9}:\s{0,9}/i
const word = /[\p{L}\p{N}'’]+|[^\s\p{L}\p{N}'’]+/gu
/** "Tell me about the time Ada went to Rome". */
const event = /^\s{0,9}the (?:moment|time)(?: when| that)? (?=\S)/i
/** "… in memory.", "… Let me search the memory." */
const ends: readonly RegExp[] = [
  /[.!]\s{1,9}(?:let me|I(?:['’]ll| will| should)?|now) (?:check|look|query|retrieve|search)\b[^.!?]{0,60}[.!]?\s{0,9}$/i,
  /\s(?:in|from) (?:the |my |our |your )?(?:memory|memories)\s{0,9}[.!]?\s{0,9}$/i,
]

/** No such request is longer, in words. */
const longest = 14
/** "Check memory for information about …" are two. */
const most = 3

/**
 * What is asked for: "What do we know about the car of Ada?" is about the car of Ada. Unchanged where nothing else would be left, and
 * where a person asks an assistant: "What can you tell me about Rome?".
 */
export function dropMemoryRequest(question: string): string {
  if (isAboutReplies(question) || asksForHelp(question)) return question
  let asked = ends.reduce((text, end) => text.replace(end, ''), question.replace(label, ''))
  for (let round = 0; round < most; round++) {
    const end = findRequestEnd(asked)
    if (end > 0) asked = asked.slice(end).replace(event, '').trim()
  }
  return hasTopic(asked) ? asked : question
}

/** Where the request ends, 0 without one. */
function findRequestEnd(question: string): number {
  let end = 0
  let isOfMemory = false
  let finds = false
  let previous = ''
  let words = 0
  for (const found of question.matchAll(word)) {
    const each = found[0].toLowerCase()
    if ((isOfMemory || finds) && questionWords.has(each)) return found.index
    if (isOfMemory && isLink(each, previous)) return found.index + each.length
    if (words === longest || !ofRequest.has(each)) break
    isOfMemory ||= ofMemory.has(each)
    finds ||= finding.has(each)
    if (openEnds.has(each)) end = found.index + each.length
    previous = each
    words += 1
  }
  return end
}

function isLink(each: string, previous: string): boolean {
  return links.has(each) || (each === 'to' && /^rel(?:at|ev)/.test(previous))
}
