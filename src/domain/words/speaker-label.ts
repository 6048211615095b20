/** The name of its writer at the beginning of a message, where a client has no field for it: "Ada Li: Hello". */

/** What messages begin with that is no name: "Note: …". */
export const notNames = [
  'Also|Answer|Date|Edit|Error|Example|Finally|First|Important|Next|Note|Options|Plan|Question|Reminder',
  'Result|Second|Status|Subject|Summary|Task|Time|Tip|Todo|Update|Warning',
].join('|')
const notName = new RegExp(`^(?:${notNames}):`)

/** In characters. Only so much of a text is read for its name. */
export const longestLabel = 100

/** "[8 May 2023, 13:56]", or "08/05/2023, 13:56 -" as in a copied chat. */
const time = '(?:[[(][^\\])]+[\\])]:? *|\\d[-\\d./:, T]+(?: ?[AaPp][Mm])? (?:- )?)?'
const word = "\\p{Lu}[\\p{L}'’.-]*"
const label = new RegExp(`^${time}(${word}(?: ${word}){0,2}):\\s`, 'u')

/** The name, and the text behind it; undefined where a text begins otherwise. */
export function readSpeakerLabel(text: string): { name: string; said: string } | undefined {
  if (notName.test(text)) return undefined
  const [begin = '', name] = label.exec(text.slice(0, longestLabel)) ?? []
  return name === undefined ? undefined : { name, said: text.slice(begin.length) }
}
