/**
 * One spelling for a name: NFKC, lower case, single spaces. Different ways of typing it give the same result.
 */
export function normaliseName(text: string): string {
  if (isPlain(text)) return text.toLowerCase()
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
}

/**
 * Plain names are ASCII with single spaces between words, as most are: only their case changes. They take a fifth of the
 * time, and a tenth of the memory, because the replacement of spaces copies each part.
 */
function isPlain(text: string): boolean {
  return !/[^!-~ ]|^ | $| {2}/.test(text)
}

/** One spelling for a text that states something: a full stop or an exclamation mark at its end says nothing. */
export function normaliseStatement(text: string): string {
  const name = normaliseName(text)
  let end = name.length
  // A loop, because a regular expression for the end is tried again at every full stop.
  while (end > 0 && '.!…。！ '.includes(name.charAt(end - 1))) end--
  return end === 0 ? name : name.slice(0, end)
}

/** The spellings of a statement that differ in its end only. They are normalised, which makes `…` three full stops. */
export function listStatementSpellings(text: string): string[] {
  const statement = normaliseStatement(text)
  return ['', '.', '!', '...', '。'].map((end) => `${statement}${end}`)
}

/** Whether two plain values are the same in another spelling, such as the number 41 and the text "41", or 9:00 and 09:00. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isPlainValue(one) && isPlainValue(other) && spell(one) === spell(other)
}

function isPlainValue(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function spell(value: string | number | boolean): string {
  return normaliseStatement(String(value)).replaceAll(clockTime, spellTime)
}

const clockTime = /(?<![\d:.])(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\b\.?)?(?![\d:])/g

/** A time of day with two digits for the hour, and without am and pm. Other numbers stay. */
function spellTime(text: string, hour: string, minute: string | undefined, half: string | undefined): string {
  const hours = Number(hour)
  if (half === undefined) return minute === undefined ? text : `${hour.padStart(2, '0')}:${minute}`
  if (hours < 1 || hours > 12) return text
  const ofDay = (hours % 12) + (half === 'p' ? 12 : 0)
  return `${String(ofDay).padStart(2, '0')}:${minute ?? '00'}`
}
