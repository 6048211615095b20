import * as access from '../../src/cognition/access/queries.ts'
import * as transition from '../../src/cognition/transition/queries.ts'
import type { Sample } from './departing-samples.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'

/** What is asked when a record's status moves, and of how it moved. */
export const cognitionSamples: Record<string, Record<string, Sample>> = {
  'src/cognition/access/queries.ts': {
    noteAccesses: (db) => access.noteAccesses(db, []),
  },
  'src/cognition/transition/queries.ts': {
    listStatusChanges: (db) => transition.listStatusChanges(db, id, 0, 101),
    findSalienceTaken: (db) => transition.findSalienceTaken(db, id),
  },
}
