import type { Ground } from '../ground.ts'
import type { Result } from '../result.ts'
import { measureCreating } from './creating.ts'
import { measureReading } from './reading.ts'
import { measureStarting } from './starting.ts'
import { measureStoring } from './storing.ts'

export async function benchRecords({ withDatabase, note }: Ground): Promise<Result[]> {
  note('creating')
  const creating = await withDatabase(measureCreating)
  note('storing')
  const storing = await withDatabase(measureStoring)
  note('reading')
  const reading = await withDatabase((database) => measureReading(database, note))
  note('starting')
  const starting = await measureStarting()
  return [creating, ...reading, ...starting, storing]
}
