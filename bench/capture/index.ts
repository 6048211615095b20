import type { BenchContext } from '../bench-context.ts'
import type { Result } from '../result.ts'
import { measureGrowing } from './growing.ts'
import { measureStoring } from './storing.ts'

export const captureBenchmarks = {
  'capture/storing': async (ground: BenchContext): Promise<Result[]> => [await measureStoring(ground)],
  'capture/growing': measureGrowing,
}
