import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  acceptStreams,
  allowSlowRequest,
  createClosingSignal,
  jsonLinesType,
  sendLines,
} from '../http/bodies/streaming.ts'
import { readCallContext } from '../http/idempotency/idempotency.ts'
import { answers } from '../http/problems/problem-responses.ts'
import type { ExportService } from './export/export.service.ts'
import { addImportRoute, importTypes } from './import/import.routes.ts'
import type { ImportService } from './import/import.service.ts'
import { ExportedRecord, ExportQuery, lines } from './portability.schemas.ts'

export type PortabilityOptions = { exporter: ExportService; importer: ImportService }

export const portabilityRoutes: FastifyPluginAsyncTypebox<PortabilityOptions> = async (
  app,
  { exporter, importer },
) => {
  const closing = createClosingSignal(app)
  acceptStreams(app, importTypes)

  app.route({
    method: 'GET',
    url: '/v1/export',
    // A HEAD request would read the store and drop the result.
    exposeHeadRoute: false,
    config: { permission: 'records:read' },
    schema: {
      operationId: 'exportRecords',
      tags: ['portability'],
      summary: 'Export records',
      description:
        'Streams every record that the key can read in full as a line of JSON, ordered by id, with its anchors, logs, history and relations. If the connection breaks, continue with `after` set to the last id. For the changes after an earlier export, set `updated_after` to the `Next-Updated-After` header of that export; a record may appear again.',
      querystring: ExportQuery,
      response: answers({
        200: {
          schema: lines(ExportedRecord),
          description: 'The records, one per line.',
          mediaType: jsonLinesType,
          headers: ['Next-Updated-After'],
        },
      }),
    },
    handler: async (request, reply) => {
      const signal = AbortSignal.any([allowSlowRequest(request, reply), closing])
      // A continued export belongs to the one that it continues, whose header is the right one.
      if (request.query.after === undefined) {
        reply.header('next-updated-after', await exporter.getNextUpdatedAfter(request.query))
      }
      const exported = exporter.run(readCallContext(request), request.query, signal)
      return sendLines(request, reply, exported)
    },
  })

  addImportRoute(app, importer, closing)
}
