import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compileQueries } from '../support/statements/compiled-queries.ts'
import { layOut } from '../support/statements/recording-database.ts'

const queriesOfRooms = Map.groupBy(await compileQueries(), ({ file }) => file.split('/')[1] ?? '')

it.each([...queriesOfRooms])(
  'every query of %s, as SQL, is what its golden file says',
  async (room, queries) => {
    const sections = queries.map(
      ({ file, query, compiled }) =>
        `-- ${file} ${query}\n${compiled.map(({ sql }) => layOut(sql)).join(';\n')};`,
    )
    await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot(`golden/${room}.sql`)
  },
)

it('no golden file is left from a room that is gone', () => {
  const named = globSync('test/db/golden/*').map((path) => path.replace(/^.*\//, ''))
  const rooms = new Set([...queriesOfRooms.keys()].map((room) => `${room}.sql`))
  expect(named.filter((name) => !rooms.has(name))).toEqual([])
})
