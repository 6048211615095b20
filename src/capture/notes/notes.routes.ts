import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import type { Once } from '../../http/idempotency/idempotency.ts'
import { answers } from '../../http/problems/problem-responses.ts'
import { answerCreated, answerRecord, WrittenRecord } from '../../records/index.ts'
import { TextNote } from './notes.schemas.ts'
import type { NotesService } from './notes.service.ts'

type NotesOptions = { notes: NotesService; once: Once }

export const notesRoutes: FastifyPluginAsyncTypebox<NotesOptions> = async (app, { notes, once }) => {
  app.post(
    '/v1/remember',
    {
      config: { permission: 'records:write' },
      schema: {
        operationId: 'remember',
        tags: ['capture'],
        summary: 'Remember a text',
        description:
          'Stores a text as a fact with the predicate `note` and links it to the known entities that it names. The key is the evidence of the fact. The same text again in the same scope, in any case and spacing, with or without a full stop at its end, stores no new record: from the same key it returns the first record unchanged, from another key it confirms that record. A text that was retracted or superseded before is stored with the status `challenged`, for review.',
        body: ref(TextNote),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The record that already has this text.',
              headers: ['ETag'],
            },
            201: {
              schema: ref(WrittenRecord),
              description: 'The new record.',
              headers: ['ETag', 'Location'],
            },
          },
          ['outside_trust', 'scope_required', 'erased_content', 'tombstone_key_mismatch'],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const { record, outcome } = await notes.remember(call, request.body)
        return outcome === 'created' ? answerCreated(record) : answerRecord(record)
      }),
  )
}
