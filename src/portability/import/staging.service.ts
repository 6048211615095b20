import type { Database } from '../../db/connection.ts'
import type { Line } from '../line-limits.ts'
import { insertStagedLines, readStagedLines, type StagedLine } from './staging.queries.ts'

const portion = { limit: 500, maxBytes: 1_024 * 1_024 }

/** A line that is too long is stored as an empty one, and refused when it is read back. */
const tooLong = Buffer.alloc(0)

type Staged = { importId: string; now: Date; look: (line: Line) => void; confirmCaller: () => Promise<void> }

/** Stores all lines, each of which may refuse the whole import, and reads them back after the last was checked. */
export function createStaging({ db }: { db: Database }) {
  async function stage(
    lines: AsyncIterable<Line>,
    { importId, now, look, confirmCaller }: Staged,
  ): Promise<void> {
    let held: StagedLine[] = []
    let size = 0
    for await (const each of lines) {
      look(each)
      const { line, bytes = tooLong } = each
      held.push({ line, bytes })
      size += bytes.length
      if (held.length < portion.limit && size < portion.maxBytes) continue
      await confirmCaller()
      await insertStagedLines(db, importId, held, now)
      held = []
      size = 0
    }
    if (held.length > 0) await insertStagedLines(db, importId, held, now)
  }

  async function* readBack(importId: string): AsyncGenerator<Line> {
    for (let after = 0; ; ) {
      const held = await readStagedLines(db, importId, after, portion)
      for (const { line, bytes } of held) yield { line, bytes: bytes.length === 0 ? undefined : bytes }
      const last = held.at(-1)
      if (!last) return
      after = last.line
    }
  }

  return { stage, readBack }
}
