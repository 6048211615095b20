import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { createTextMemory } from '../../../src/retrieval/text/memory/text-memory.service.ts'
import { createTextSearch } from '../../../src/retrieval/text/text-search.service.ts'
import type { TestApp } from '../test-app.ts'

type Options = Partial<Parameters<typeof createTextSearch>[0]>

const large = { smallStorePages: -1 }

function openSearch(app: TestApp, more: Options) {
  return createTextSearch({ clock: app.clock, textLanguage: 'english', ...more })
}

async function openLoaded(app: TestApp) {
  const memory = createTextMemory({ maxBytes: 50_000_000 }).openStore(app.db)
  const search = openSearch(app, { ...large, memory })
  await search.find(app.db, { query: readQuery('word'), trust: fullTrust, conditions: [], limit: 10 })
  await memory.untilLoaded()
  return search
}

/** The same search of a small store, of a large one, and of one whose words are in memory. */
export const textSearches = [
  ['a small store', async (app: TestApp) => openSearch(app, {})],
  ['a large store', async (app: TestApp) => openSearch(app, large)],
  ['memory', openLoaded],
] as const
