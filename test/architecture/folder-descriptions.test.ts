import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource, root } from './source-files.ts'

const folders = listFolders('src').map((name) => `src/${name}`)

test('each folder of src says what belongs there and what does not', () => {
  expect(folders.length).toBeGreaterThan(30)
  const vague = folders.filter((folder) => !describe(folder).includes('Not here: '))
  expect(vague).toEqual([])
})

test('each folder of src says what the folders inside it hold', () => {
  const unnamed = folders.flatMap((folder) =>
    listFolders(folder)
      .filter((name) => !describe(folder).includes(`\`${name}/\``))
      .map((name) => `${folder}/${name}`),
  )
  expect(unnamed).toEqual([])
})

function listFolders(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** The README of a folder, or the first comment of its `index.ts`. */
function describe(folder: string): string {
  const page = `${folder}/README.md`
  if (existsSync(join(root, page))) return readSource(page)
  return /^\/\*\*.*?\*\//s.exec(readSource(`${folder}/index.ts`))?.[0] ?? ''
}
