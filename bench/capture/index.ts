import type { Ground } from '../ground.ts'
import type { Result } from '../result.ts'
import { measureGrowing } from './growing.ts'
import { measureStoring } from './storing.ts'

export const captureBenchmarks = {
  'capture/storing': async (ground: Ground): Promise<Result[]> => [await measureStoring(ground)],
  'capture/growing': measureGrowing,
}
