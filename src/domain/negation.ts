import { normaliseName } from './names.ts'

/** The predicates that deny another one, such as "does not prefer" for "prefers". Only English ones are known. */

/** Verbs that are followed by "not" without "do". */
const auxiliaries = 'is|are|was|were|has|have|had|can|could|will|would|should|must|may|might'
const auxiliary = new RegExp(`^(?:${auxiliaries})$`)
const auxiliaryDenied = new RegExp(`^(${auxiliaries})(?: not|n't|not)(?: (.+))?$`)
const verbDenied = /^(do|does)(?: not|n't) (\S+)( .+)?$/
const irregular: Readonly<Record<string, readonly string[]>> = {
  can: ['cannot', "can't"],
  will: ["won't"],
  may: [],
  might: [],
}

/** The normalised spellings of what denies the predicate, with spaces and, if it has no spaces itself, with underscores. */
export function listNegations(predicate: string): string[] {
  const name = normaliseName(predicate)
  const negations = listSpaced(spell(predicate))
  const underscored = name.includes(' ')
    ? []
    : negations.filter((each) => !each.includes("'")).map((each) => each.replaceAll(' ', '_'))
  return [...new Set([...(name.includes('_') ? [] : negations), ...underscored])]
}

/** Whether one of the predicates denies the other. */
export function isNegation(one: string, other: string): boolean {
  return listNegations(one).includes(normaliseName(other).replaceAll('’', "'"))
}

/** Whether a predicate says that something is not so. */
export function isDenial(predicate: string): boolean {
  const spelled = spell(predicate)
  return verbDenied.test(spelled) || auxiliaryDenied.test(spelled)
}

function spell(predicate: string): string {
  const spaced = normaliseName(predicate).replaceAll('_', ' ').replaceAll('’', "'")
  return spaced.replace(/^won't\b/, 'will not').replace(/^can't\b/, 'can not')
}

function listSpaced(predicate: string): string[] {
  const [, verbOf = '', verb = '', object = ''] = verbDenied.exec(predicate) ?? []
  if (verb !== '') return [`${verbOf === 'does' ? toThirdPerson(verb) : verb}${object}`]
  const denied = auxiliaryDenied.exec(predicate)
  if (denied) return [[denied[1], denied[2]].filter(Boolean).join(' ')]
  const [first = '', ...others] = predicate.split(' ')
  const rest = others.length === 0 ? '' : ` ${others.join(' ')}`
  const isAuxiliary = auxiliary.test(first)
  const withoutDo = isAuxiliary ? [`${first} not`, ...(irregular[first] ?? [`${first}n't`])] : []
  // "has" may be either: "has not seen", and "does not have a car".
  const base = toBase(first)
  const does = base === first ? 'do' : 'does'
  const withDo = isAuxiliary && base !== 'have' ? [] : [`${does} not ${base}`, `${does}n't ${base}`]
  return [...withoutDo, ...withDo].map((denied) => `${denied}${rest}`)
}

function toThirdPerson(verb: string): string {
  if (verb === 'have') return 'has'
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`
  return /(?:s|sh|ch|x|z|o)$/.test(verb) ? `${verb}es` : `${verb}s`
}

/** The verb itself, if it has no ending of the third person. */
function toBase(verb: string): string {
  if (verb === 'has') return 'have'
  if (/.[^aeiou]ies$/.test(verb)) return `${verb.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|zz|o)es$/.test(verb)) return verb.slice(0, -2)
  return /[^s]s$/.test(verb) ? verb.slice(0, -1) : verb
}
