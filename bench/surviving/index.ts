import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProduct } from '../processes.ts'
import type { Result } from '../result.ts'
import { measureKilling } from './killing.ts'
import { measureReadable } from './reading.ts'

export const survivingBenchmarks = {
  'surviving/readable': () =>
    withDirectory(async (environment) => {
      const running = await startProduct('all', environment)
      try {
        return await measureReadable(running.url)
      } finally {
        await running.stop()
      }
    }),
  'surviving/killing': () => withDirectory(measureKilling),
}

/** A separate store on the embedded server, as with `npm start`. */
async function withDirectory(
  work: (environment: Record<string, string>) => Promise<Result[]>,
): Promise<Result[]> {
  const directory = await mkdtemp(join(tmpdir(), 'membrane-bench-'))
  try {
    return await work({ MEMBRANE_DATA_DIR: join(directory, 'data') })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
