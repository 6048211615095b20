import { isMachineLine, isOfSymbols } from './machine-text.ts'
import { chooseOtherWords } from './worth-languages.ts'

/**
 * Articles, logs and code that a person pastes. They are long and full of names and figures, but say nothing of the person. A part
 * of a text counts as copied if several hundred characters in a row, of whole lines, have no "I" or "we".
 */

/** In characters. A shorter text without "I" is often a note: a plan of a journey, the medicines of a relative, decisions. */
const minCopied = 450
/** Of lines of machines, which are hardly ever notes. */
const minMachine = 200
/** Where all is copied, only this beginning is read. */
const beginning = 100

/** Returns what the person adds. If that is nothing, the text is copied. */
export function removeCopied(text: string): { text: string; isCopied: boolean } {
  if (text.length < minMachine) return { text, isCopied: false }
  const runs = splitRuns(text)
  const copied = runs.find(isCopiedRun)
  if (!copied) return { text, isCopied: false }
  const own = runs.flatMap((run) => (isCopiedRun(run) ? [] : [run.text])).join('')
  if (/\p{L}/u.test(own)) return { text: own, isCopied: false }
  return { text: copied.text.slice(0, beginning), isCopied: true }
}

/** Lines in a row, and how many characters of them are of machines. A line in which the person speaks is a run of its own. */
type Run = { text: string; ofMachine: number; isOwn: boolean }

function splitRuns(text: string): Run[] {
  const isReadable = readable.test(text)
  const runs: Run[] = []
  for (const line of text.split(/(?<=\n)/)) {
    const last = runs.at(-1)
    const run = last && !last.isOwn ? last : { text: '', ofMachine: 0, isOwn: false }
    const isMachine = isMachineLine(line) || isOfSymbols(line)
    if (!isMachine && ((!isReadable && run.ofMachine === 0) || isPersonal(line))) {
      runs.push({ text: line, ofMachine: 0, isOwn: true })
      continue
    }
    run.text += line
    if (isMachine) run.ofMachine += line.length
    if (run !== last) runs.push(run)
  }
  return runs
}
/** English, German and French texts do not leave the pronoun out. */
const readable = /\b(?:the|and|of|der|das|und|ist|est|une|des)\b/i

function isCopiedRun({ text, ofMachine, isOwn }: Run): boolean {
  return !isOwn && (text.length >= minCopied || ofMachine >= minMachine)
}

function isPersonal(line: string): boolean {
  const lower = line.toLowerCase().replace(quoted, '')
  return speaks.test(lower) || lower.search(chooseOtherWords(lower).first_person) !== -1
}
/** What is said in quotes is mostly the word of another. */
const quoted = /"[^"]{1,300}"|“[^”]{1,300}”|„[^“”]{1,300}[“”]|«[^»]{1,300}»/g
/** Not "us" and "our", as in "Subscribe to our newsletter". */
const speaks = /\b(?:i|my|me|mine|myself|we)\b/
