import type { Selectable } from 'kysely'
import type { Database } from '../../db/connection.ts'
import type { EmbeddingModels } from '../../db/schema.ts'

export type ModelRow = Selectable<EmbeddingModels>

/** The one whose vectors are searched. */
export async function findServingModel(db: Database): Promise<ModelRow | undefined> {
  return db.selectFrom('embedding_models').where('serves', '=', true).selectAll().executeTakeFirst()
}

/** The one that texts are embedded with: the same, or the one that is to follow it. */
export async function findEmbeddingModel(db: Database): Promise<ModelRow | undefined> {
  return db.selectFrom('embedding_models').where('embeds', '=', true).selectAll().executeTakeFirst()
}
