import type { Question } from './corpus.ts'

export type Answered = { question: Question; found: readonly string[] }

/** The share of questions with some, or all, of their evidence in a text, and how many messages a text quotes. */
export function renderQuoted(name: string, answered: readonly Answered[]): string {
  const share = (has: 'some' | 'every') =>
    answered.filter(({ question, found }) => question.evidence[has]((id) => found.includes(id))).length /
    Math.max(1, answered.length)
  const quoted = answered.reduce((sum, { found }) => sum + found.length, 0) / Math.max(1, answered.length)
  const shares = [share('some'), share('every')].map((each) => each.toFixed(3)).join(', all ')
  return `${name.padEnd(36)} ${String(answered.length).padStart(5)}  any ${shares}, ${quoted.toFixed(1)} messages`
}

/** The share of questions with some, or all, of their evidence among the first 5, 10 or 20 records. */
export type Figures = {
  questions: number
  any5: number
  any10: number
  any20: number
  all10: number
}

export function computeFigures(answered: readonly Answered[]): Figures {
  const share = (holds: (each: Answered) => boolean) =>
    answered.filter(holds).length / Math.max(1, answered.length)
  const someIn = (depth: number) => (each: Answered) =>
    each.question.evidence.some((id) => each.found.slice(0, depth).includes(id))
  const allIn = (depth: number) => (each: Answered) =>
    each.question.evidence.every((id) => each.found.slice(0, depth).includes(id))
  return {
    questions: answered.length,
    any5: share(someIn(5)),
    any10: share(someIn(10)),
    any20: share(someIn(20)),
    all10: share(allIn(10)),
  }
}

export function formatShare(part: number, whole: number): string {
  return (whole === 0 ? 0 : part / whole).toFixed(3)
}

export function renderFigures(name: string, figures: Figures): string {
  const { questions, any5, any10, any20, all10 } = figures
  const shares = [any5, any10, any20, all10].map((share) => share.toFixed(3)).join('  ')
  return `${name.padEnd(36)} ${String(questions).padStart(5)}  ${shares}`
}

export const header = `${''.padEnd(36)} ${'asked'.padStart(5)}  any@5  any@10 any@20 all@10`
