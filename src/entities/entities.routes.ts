import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { formatEtag } from '../http/etag.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { answerRecord, maskRecord, maskRecords, RecordPage, WrittenRecord } from '../records/index.ts'
import {
  EntityMerge,
  EntityPage,
  EntityPath,
  EntityQuery,
  LookupQuery,
  MentionsQuery,
  SeenEntity,
} from './entities.schemas.ts'
import type { EntitiesService } from './entities.service.ts'
import type { EntityMergingService } from './entity-merge.service.ts'

export type EntitiesOptions = { entities: EntitiesService; entityMerging: EntityMergingService; once: Once }

const tags = ['entities']
const deletedErrors = ['record_forgotten', 'record_purged', 'record_erased'] as const

export const entitiesRoutes: FastifyPluginAsyncTypebox<EntitiesOptions> = async (
  app,
  { entities, entityMerging, once },
) => {
  app.get(
    '/v1/entities',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'lookUpEntities',
        tags,
        summary: 'Look up entities by name',
        description:
          'Finds entities by identifier, canonical name or alias, in this order. Within each group, entities with a scope come first, then active before challenged ones, then the oldest. Redacted entities are left out. If there are more than 1,000 entities with one name, only the oldest are listed; pass `scope` to see others. A page ends early after 16 MiB.',
        querystring: LookupQuery,
        response: answers(
          { 200: { schema: ref(EntityPage), description: 'A page of entities.', headers: ['Link'] } },
          ['invalid_cursor'],
        ),
      },
    },
    async (request, reply) => sendPage(request, reply, await entities.lookUp(request.caller, request.query)),
  )

  app.get(
    '/v1/entities/:id',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'getEntity',
        tags,
        summary: 'Read an entity',
        description:
          'Returns the record of the entity. If the entity has a profile, `peer_card_id` is the id of that record. In the names of fields and counters, `peer_card` means profile.',
        params: EntityPath,
        querystring: EntityQuery,
        response: answers(
          { 200: { schema: ref(SeenEntity), description: 'The entity at this moment.', headers: ['ETag'] } },
          deletedErrors,
        ),
      },
    },
    async (request, reply) => {
      const entity = await entities.read(request.caller, request.params.id)
      if ('version' in entity) reply.header('etag', formatEtag(entity.version))
      return request.query.mask_secrets ? maskRecord(entity) : entity
    },
  )

  app.get(
    '/v1/entities/:id/records',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listEntityRecords',
        tags,
        summary: 'List the records about an entity',
        description:
          'Returns the records that mention the entity and the facts with the entity as subject or object, each once, the newest first. Forgotten records are left out. A page ends early after 16 MiB of records.',
        params: EntityPath,
        querystring: MentionsQuery,
        response: answers(
          { 200: { schema: ref(RecordPage), description: 'A page of records.', headers: ['Link'] } },
          [...deletedErrors, 'above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) => {
      const { mask_secrets: isMasked, ...query } = request.query
      const page = await entities.listRecords(request.caller, request.params.id, query)
      return sendPage(request, reply, isMasked ? maskRecords(page) : page)
    },
  )

  app.post(
    '/v1/entities/:id/merge',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'mergeEntities',
        tags,
        summary: 'Merge duplicates into an entity',
        description:
          'The entity in the path gets the names of the duplicates as aliases, and their types, identifiers, tags, sources and relations. It keeps its own name and type. All these records together may have at most 16 MiB. The duplicates get the status `merged`. If-Match refers to the entity in the path.',
        params: EntityPath,
        body: ref(EntityMerge),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The merged entity.',
              headers: ['ETag'],
            },
          },
          [
            ...deletedErrors,
            'above_ceiling',
            'outside_trust',
            'type_mismatch',
            'already_superseded',
            'already_retracted',
            'scope_mismatch',
            'sensitivity_lowered',
            'merge_too_large',
          ],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        return answerRecord(await entityMerging.merge(call, request.params.id, request.body))
      }),
  )
}
