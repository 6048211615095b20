import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TSchema } from 'typebox'
import { variableGroups } from '../src/config/environment.ts'

const target = resolve(import.meta.dirname, '../.env.example')

const preamble = `# All variables with their defaults. A variable marked "Example" is unset by default, and so is one with a blank value.
# A duration is a number with its unit: 500ms, 30s, 15m, 1h or 30d.
# Docker Compose reads a copy of this file named .env, and so does node with --env-file=.env.
`

/** Everything is commented out, so that a copy of the file changes nothing until a line is uncommented. */
export function renderEnvExample(): string {
  const groups = variableGroups.map(({ title, variables }) =>
    [`# --- ${title} ---\n`, ...Object.entries<TSchema>(variables).map(renderVariable)].join('\n'),
  )
  return [preamble, ...groups].join('\n')
}

function renderVariable([name, schema]: [string, TSchema]): string {
  const read = (keyword: string): unknown => Reflect.get(schema, keyword)
  const examples = read('examples')
  const choices = read('enum') ? `# Must be ${read('expects')}.\n` : ''
  const fallback = read('default')
  const example = fallback === undefined && Array.isArray(examples) ? examples[0] : undefined
  const mark = example === undefined ? '' : '# Example:\n'
  return `# ${read('description')}\n${choices}${mark}# ${name}=${fallback ?? example ?? ''}\n`
}

if (import.meta.main) writeFileSync(target, renderEnvExample())
