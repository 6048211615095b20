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
