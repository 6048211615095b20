/**
 * Makes one harmless line of any text. For any content of a record, its line cannot begin another line, close the fence
 * around the memory, or look like the reference to a record.
 */

const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g
const tabs = /\t/g
/** Control characters, halves of surrogate pairs, marks that reverse the reading order, and invisible tags. */
const unreadable = /[[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]--[\n\t]]/gv
/**
 * Variation selectors that change no letter before them: a row of them hides a text that a model can read. One after an ideograph
 * or a sign is its form.
 */
const hiding = /(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu
/** A fence is closed by three of these or more. */
const fences = /`{3,}|~{3,}/g
/** The beginning of a reference, also when it is spelt with wide or invisible characters. */
const references =
  /([[［][\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[mｍ][\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*)([:：])/giu

const writeCode = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** A text of which nothing is hidden from a person who reads it. */
export function showHidden(text: string, write = writeCode): string {
  return text.replace(unreadable, write).replace(hiding, write)
}

export function quoteAsLine(text: string): string {
  return showHidden(text.replace(lineBreaks, '\\n').replace(tabs, ' '))
    .replace(fences, (run) => [...run].map((each) => `\\${each}`).join(''))
    .replace(references, '$1\\$2')
}
