import { normaliseName } from './names.ts'

/** The predicates that deny another one, such as "does not prefer" for "prefers". Only English ones are known. */

/** Verbs that are followed by "not" without "do". */
const auxiliaries = 'is|are|was|were|has|have|had|can|could|will|would|should|must|may|might'
const auxiliary = new RegExp(`^(?:${auxiliaries})$`)
const auxiliaryDenied = new RegExp(`^(${auxiliaries})(?: not|n't|not)(?: (.+))?$`)
const verbDenied = /^(do|does|did)(?: not|n't) (\S+)( .+)?$/
/** "No longer than" compares, and "never mind" denies nothing. */
const timeDenied = new RegExp(
  `^(?:(${auxiliaries})(?: |$))?(?:never|no longer)(?: (?!than\\b|mind\\b)(.+))?$`,
)
const ended = /^(?:has |have )?stopped ([a-z]{2,})ing( .+)?$/
const irregular: Readonly<Record<string, readonly string[]>> = {
  can: ['cannot', "can't"],
  will: ["won't"],
  may: [],
  might: [],
}

/**
 * The normalised spellings of the predicates that deny this one, with spaces and, if it has no spaces itself, with underscores.
 * Those that deny a time, such as "no longer prefers", are left out: each spelling is looked up.
 */
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
  return denies(one, other) || denies(other, one)
}

function denies(one: string, other: string): boolean {
  return listNegations(one).includes(normaliseName(other).replaceAll('’', "'"))
}

/** Whether a predicate says that something is not so. */
export function isDenial(predicate: string): boolean {
  return listDenied(spell(predicate)) !== undefined
}

function spell(predicate: string): string {
  const spaced = normaliseName(predicate).replaceAll('_', ' ').replaceAll('’', "'")
  return spaced.replace(/^won't\b/, 'will not').replace(/^can't\b/, 'can not')
}

/** What the predicate denies; undefined if it denies nothing. */
function listDenied(predicate: string): string[] | undefined {
  const [, auxiliaryOf = '', said = ''] = timeDenied.exec(predicate) ?? []
  if (auxiliaryOf !== '' || said !== '') return [[auxiliaryOf, said].filter(Boolean).join(' ')]
  const [, stem = '', of = ''] = ended.exec(predicate) ?? []
  if (stem !== '') return listBases(stem).map((verb) => `${toThirdPerson(verb)}${of}`)
  const now = predicate.replace(/(?<=(?: not|n't) .+) any ?more$/, '')
  const [, verbOf = '', verb = '', object = ''] = verbDenied.exec(now) ?? []
  if (verb !== '') return inflect(verb, verbOf).map((each) => `${each}${object}`)
  const denied = auxiliaryDenied.exec(now)
  return denied ? [[denied[1], denied[2]].filter(Boolean).join(' ')] : undefined
}

function inflect(verb: string, like: string): string[] {
  if (like === 'did') return listPasts(verb)
  return [like === 'does' ? toThirdPerson(verb) : verb]
}

function listSpaced(predicate: string): string[] {
  const denied = listDenied(predicate)
  if (denied) return denied
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

/** The regular past tense, with one and with two of the last consonant: "visited", "stopped". */
function listPasts(verb: string): string[] {
  if (verb === 'have') return ['had']
  if (verb.endsWith('e')) return [`${verb}d`]
  if (/[^aeiou]y$/.test(verb)) return [`${verb.slice(0, -1)}ied`]
  return /[^aeiou][aeiou][bdglmnprt]$/.test(verb) ? [`${verb}ed`, `${verb}${verb.at(-1)}ed`] : [`${verb}ed`]
}

/** The verbs that "-ing" may belong to: "smoke" for "smok", "run" for "runn". */
function listBases(stem: string): string[] {
  const single = /([^aeiou])\1$/.test(stem) ? [stem.slice(0, -1)] : []
  return [stem, ...single, `${stem}e`]
}
