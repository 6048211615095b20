import type { Database } from '../../db/connection.ts'
import type { Conditions } from '../../db/fragments/conditions.ts'
import { nameHandle } from '../../domain/identity/handles.ts'
import { listNames } from '../question/names-in-question.ts'
import type { Question } from '../question/question.ts'
import type { Match } from './match.ts'
import { findByNames, findNamedEntities } from './name-search.queries.ts'

const maxEntities = 16
const maxPerKind = 50

/** Finds the entities that a text names, and the records linked with them. */
export async function searchNames(
  db: Database,
  question: Question,
  { text, conditions, limit }: { text: string; conditions: Conditions; limit: number },
): Promise<Match[]> {
  const digests = listNames(text).map((name) => nameHandle(name).digest)
  if (digests.length === 0) return []
  // Most questions name no entity, and this alone takes a quarter of the time.
  const named = await findNamedEntities(db, { question, digests, maxEntities })
  if (named.length === 0) return []
  const ids = await findByNames(db, { question, named, conditions, maxPerKind, limit })
  return ids.map((id, index): Match => ({ id, score: 1 / (1 + index / 10) }))
}
