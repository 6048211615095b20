import type { BenchContext } from '../bench-context.ts'
import type { Result } from '../result.ts'
import { measureCreating } from './creating.ts'
import { measureReading } from './reading.ts'
import { measureStarting } from './starting.ts'
import { measureStoring } from './storing.ts'

export const recordBenchmarks = {
  'records/creating': async ({ withDatabase }: BenchContext): Promise<Result[]> => [
    await withDatabase((database) => measureCreating(database)),
    await withDatabase((database) => measureCreating(database, { isKeyed: true })),
  ],
  'records/reading': ({ withDatabase, note }: BenchContext): Promise<Result[]> =>
    withDatabase((database) => measureReading(database, note)),
  'records/storing': ({ withDatabase, note }: BenchContext): Promise<Result[]> =>
    withDatabase((database) => measureStoring(database, note)),
  'records/starting': measureStarting,
}
