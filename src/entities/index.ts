/**
 * Entities: look up by name, list the records about one, merge duplicates.
 * Other rooms find the entities that a text mentions with `resolveMentions`, and lock one that they link to with
 * `lockActiveEntities`.
 * Not here: what a captured event mentions (capture/) and profiles (dream/).
 */

export { lockActiveEntities } from './entities.queries.ts'
export { entitiesRoutes } from './entities.routes.ts'
export { createEntitiesService } from './entities.service.ts'
export { createEntityMergingService } from './entity-merge.service.ts'
export {
  createEntityPayload,
  type ResolvedMention,
  resolveMentions,
  resolveObject,
} from './mention-resolution.ts'
