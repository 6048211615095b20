import type { BenchContext } from '../bench-context.ts'
import type { Result } from '../result.ts'
import { measureGrowing } from './growing.ts'
import { measureStoring } from './storing.ts'

export const captureBenchmarks = {
  'capture/storing': async (context: BenchContext): Promise<Result[]> => [await measureStoring(context)],
  'capture/growing': measureGrowing,
}
