import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Names of schemas before a dot, and the settings by which a function would leave the schema of its caller. */
const qualified = /\b(?:public|t_[a-z0-9]+)\s*\.\s*["a-z]|set\s+search_path/i

it('no statement, migration or function names a schema', () => {
  const files = [...globSync('test/db/golden/*.sql'), ...globSync('migrations/0*.ts')]
  const found = files.filter((file) => qualified.test(readFileSync(file, 'utf8')))
  expect(files.length).toBeGreaterThan(50)
  expect(found).toEqual([])
})

/** A function of a row finds no shard of its table, whose rows are of another type. */
const wholeRow = /salience_at\(\s*"?\w+"?\s*,\s*[^,()]*(?:\([^()]*\))?[^,()]*\)/i

it('no statement gives a whole row to a function', () => {
  expect('salience_at(r, $1::timestamptz)').toMatch(wholeRow)
  const statements = globSync('test/db/golden/*.sql').map((file) => readFileSync(file, 'utf8'))
  expect(statements.join('\n')).toContain('salience_at(r.pinned, ')
  expect(statements.filter((text) => wholeRow.test(text))).toEqual([])
})
