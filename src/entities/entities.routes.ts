import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { etagOf } from '../http/etag.ts'
import { type Once, readCallContext } from '../http/idempotency.ts'
import { linkNext } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { RecordPage, WrittenRecord } from '../records/index.ts'
import {
  EntityMerge,
  EntityPage,
  EntityPath,
  LookupQuery,
  MentionsQuery,
  SeenEntity,
} from './entities.schemas.ts'
import type { EntitiesService } from './entities.service.ts'
import type { EntityMergingService } from './entity-merge.service.ts'

export type EntitiesOptions = { entities: EntitiesService; entityMerging: EntityMergingService; once: Once }

const tags = ['entities']
const gone = ['record_forgotten', 'record_purged', 'record_erased'] as const

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
          'By identifier, then by canonical name, then by alias; of each those with a scope first, active before challenged, the oldest first. What the key sees only redacted does not answer. Of more than 1,000 that bear one name the oldest are told; name a scope.',
        querystring: LookupQuery,
        response: answers({ 200: { schema: ref(EntityPage), description: 'One page.', headers: ['Link'] } }, [
          'invalid_cursor',
        ]),
      },
    },
    async (request, reply) => {
      const page = await entities.lookUp(readCallContext(request), request.query)
      if (page.next_cursor !== undefined) reply.header('link', linkNext(request.url, page.next_cursor))
      return page
    },
  )

  app.get(
    '/v1/entities/:id',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'getEntity',
        tags,
        summary: 'Read an entity',
        description: 'The record, and where its profile is, if it has one.',
        params: EntityPath,
        response: answers(
          { 200: { schema: ref(SeenEntity), description: 'The entity as of now.', headers: ['ETag'] } },
          gone,
        ),
      },
    },
    async (request, reply) => {
      const entity = await entities.read(readCallContext(request), request.params.id)
      if ('version' in entity) reply.header('etag', etagOf(entity.version))
      return entity
    },
  )

  app.get(
    '/v1/entities/:id/records',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listEntityRecords',
        tags,
        summary: 'List the records that are about an entity',
        description:
          'Live records that mention it or are facts of which it is subject or object, each once, the newest first.',
        params: EntityPath,
        querystring: MentionsQuery,
        response: answers({ 200: { schema: ref(RecordPage), description: 'One page.', headers: ['Link'] } }, [
          ...gone,
          'above_ceiling',
          'invalid_cursor',
        ]),
      },
    },
    async (request, reply) => {
      const page = await entities.listRecords(readCallContext(request), request.params.id, request.query)
      if (page.next_cursor !== undefined) reply.header('link', linkNext(request.url, page.next_cursor))
      return page
    },
  )

  app.post(
    '/v1/entities/:id/merge',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'mergeEntities',
        tags,
        summary: 'Fold twins into an entity',
        description:
          'The entity takes over their names as aliases, their types, identifiers, tags, sources and links; they become history. Its own name and type stay. If-Match is about the entity in the path.',
        params: EntityPath,
        body: ref(EntityMerge),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The entity, with all that it took over.',
              headers: ['ETag'],
            },
          },
          [
            ...gone,
            ...(['above_ceiling', 'outside_trust', 'type_mismatch'] as const),
            ...(['already_superseded', 'already_retracted'] as const),
            ...(['scope_mismatch', 'sensitivity_lowered'] as const),
          ],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const record = await entityMerging.merge(call, request.params.id, request.body)
        return { status: 200, body: record, headers: { etag: etagOf(record.version) } }
      }),
  )
}
