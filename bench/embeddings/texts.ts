/** Texts like those of a memory store: names, rare and common words, sentences that resemble many others. */

const onsets = 'b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl st t tr v w'.split(' ')
const vowels = 'a e i o u ai ea io ou'.split(' ')
const codas = ['', '', '', 'l', 'm', 'n', 'r', 's', 't', 'ck', 'nd', 'rt', 'ss']
const endings = ['', '', '', 'er', 'ing', 'ed', 'ion', 'able', 'ment', 'ity', 's']

const frames = [
  'The {n} of {s} must be {v} before the {n} is {v}.',
  '{s} stores its {n} in the {n} of {s}, and {v} it every {n}.',
  'When {s} fails with {n}, the {n} is {v} and {s} is {v} again.',
  'The team prefers {n} over {n} for {s}, because {n} was {v}.',
  'Deploys of {s} are {v} with {n} and {n}.',
  'The {n} limit of {s} is {d} {n}.',
  '{s} depends on {s} for {n}; its {n} is {v} by {n}.',
  'We {v} the {n} of {s} after the {n} {n} in {d}.',
]

const questions = [
  'How is the {n} of {s} {v}?',
  'Why was {n} {v} in {s}?',
  'What does {s} do with the {n} when {n} is {v}?',
  'Where is the {n} {n} of {s}?',
]

const words = 20_000
const systems = 500

/** Words are as common as by Zipf; a question contains one or two words that some texts have. */
export function createWriter(random: () => number) {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? ''
  const syllable = () => pick(onsets) + pick(vowels) + pick(codas)
  const coin = () => Array.from({ length: 1 + Math.floor(random() * 3) }, syllable).join('') + pick(endings)
  const vocabulary = Array.from({ length: words }, coin)
  const names = Array.from({ length: systems }, () => `${coin()}-${coin()}`)
  const drawn: Record<string, () => string> = {
    n: () => vocabulary[Math.floor(20 * (words / 20) ** random())] ?? '',
    v: () => `${vocabulary[Math.floor(10 * (words / 40) ** random())]}ed`,
    s: () => names[Math.floor(systems * random() ** 2)] ?? '',
    d: () => String(Math.floor(1 + 5_000 * random() ** 3)),
  }
  const fill = (frame: string) => frame.replace(/\{(\w)\}/g, (whole, kind) => drawn[kind]?.() ?? whole)
  return {
    write: () => (random() < 0.4 ? `${fill(pick(frames))} ${fill(pick(frames))}` : fill(pick(frames))),
    ask: () => fill(pick(questions)),
  }
}
