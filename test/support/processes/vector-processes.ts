import type { RawBuilder, SqlBool } from 'kysely'
import type { Database } from '../../../src/db/connection.ts'
import { createCellCache } from '../../../src/embeddings/cells/cell-cache.service.ts'
import { createVectorMemory } from '../../../src/embeddings/memory/vector-memory.service.ts'
import { createVectorSearch } from '../../../src/embeddings/search/vector-search.service.ts'
import { createTestClock } from '../clock.ts'
import { idsOf, nearestTo, question, questions, size } from '../stores/planted-vectors.ts'

const everyQuestion = { conditions: [] as RawBuilder<SqlBool>[], limit: 10 }

/** Processes that keep the planted vectors of a store in memory. */
export function createVectorProcesses(
  store: () => { db: Database; model: { id: number; dimensions: number } },
) {
  /** The parts of a process that keeps vectors in memory. */
  function openProcess(memory = createVectorMemory({ maxBytes: 4_000_000 })) {
    const cells = createCellCache()
    const index = memory.openStore({ db: store().db, cells })
    const search = createVectorSearch({ db: store().db, clock: createTestClock(), cells, memory: index })
    const find = (vector: Float32Array, { conditions, limit } = everyQuestion) =>
      search.findQuickly({ model: store().model, vector, conditions, limit })
    /** As `find`, but undefined where the vectors are not in memory. */
    const findInMemory = (vector: Float32Array, { conditions, limit } = everyQuestion) =>
      index.find({ model: store().model, vector, conditions, limit, stored: size, share: 0.3 })
    async function load(): Promise<void> {
      await findInMemory(question)
      await index.untilLoaded()
    }
    return { find, findInMemory, load }
  }

  async function openLoaded(
    memory?: ReturnType<typeof createVectorMemory>,
  ): Promise<ReturnType<typeof openProcess>['findInMemory']> {
    const opened = openProcess(memory)
    await opened.load()
    return opened.findInMemory
  }

  /** The share of the ten nearest that a search finds. */
  async function recallOf(find: ReturnType<typeof openProcess>['findInMemory']): Promise<number> {
    let shared = 0
    for (const vector of questions) {
      const exact = new Set(idsOf(nearestTo(vector, 10)))
      shared += (idsOf(await find(vector)) ?? []).filter((id) => exact.has(id)).length
    }
    return shared / (10 * questions.length)
  }

  return { openProcess, openLoaded, recallOf }
}
