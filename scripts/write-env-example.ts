import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TSchema } from 'typebox'
import { environmentSchema } from '../src/config/environment.ts'

const target = resolve(import.meta.dirname, '../.env.example')

const preamble = `# All variables, with their default or an example. A blank value means unset.
# Docker Compose reads a copy of this file named .env, and so does node with --env-file=.env.
`

/** Everything is commented out, so that a copy of the file changes nothing until a line is uncommented. */
export function renderEnvExample(): string {
  const entries = Object.entries<TSchema>(environmentSchema.properties).map(renderVariable)
  return [preamble, ...entries].join('\n')
}

function renderVariable([name, schema]: [string, TSchema]): string {
  const read = (keyword: string): unknown => Reflect.get(schema, keyword)
  const examples = read('examples')
  const value = read('default') ?? (Array.isArray(examples) ? examples[0] : '')
  const choices = read('enum') ? `# Must be ${read('expects')}.\n` : ''
  return `# ${read('description')}\n${choices}# ${name}=${value}\n`
}

if (import.meta.main) writeFileSync(target, renderEnvExample())
