import type { NotesService } from '../../capture/index.ts'
import { AppError } from '../../kernel/errors.ts'
import type { createReinforcementService } from '../../lifecycle/index.ts'
import { NewRecord, type RecordsService } from '../../records/index.ts'
import { asAgent } from './agent-source.ts'
import { createInvalidArgumentsError, refuseBeside, requireValid } from './arguments.service.ts'
import { describeState } from './bounded-answers.service.ts'
import { createReviseTool, type RevisingServices } from './revise-tool.service.ts'
import { changes, defineTool, repeats } from './tool.ts'
import { ReinforceInput, RememberInput, reinforceOutput, rememberOutput } from './tools.schemas.ts'

export type WritingServices = RevisingServices & {
  notes: NotesService
  records: RecordsService
  reinforcement: ReturnType<typeof createReinforcementService>
}

/** Subtracted from the salience of a record that did not help. */
const penalty = 0.1

const leftOutNotice =
  'This text has the status challenged, so recall leaves it out: it was superseded or retracted before, or has become doubtful. If it holds, supersede the fact that holds now with this text, or this record if there is none.'

/** The tools of profile `core` that change records. Each change can be taken back. */
export function createWritingTools(services: WritingServices) {
  const { notes, records, reinforcement } = services

  const remember = defineTool({
    name: 'remember',
    profile: 'core',
    permission: 'records:write',
    hints: repeats,
    input: RememberInput,
    output: rememberOutput,
    description:
      'Remembers a fact, decision or preference in plain words, one statement per call. Call it when you learn what later conversations need. The same text again is not stored twice.',
    async run({ call }, { text, record, ...more }) {
      if (record !== undefined) {
        const created = await records.create(call, asAgent(call, readRecord(record, { text, ...more })))
        return { structured: { id: created.id, version: created.version, status: 'created' } }
      }
      if (text === undefined)
        throw createInvalidArgumentsError([{ pointer: '/text', message: 'is required, or `record`' }])
      const { record: stored, outcome } = await notes.remember(call, asAgent(call, { text, ...more }))
      const status = outcome === 'created' ? 'created' : 'unchanged'
      const notice = 'status' in stored && stored.status === 'challenged' ? leftOutNotice : undefined
      return { structured: { id: stored.id, version: stored.version, status, notice } }
    },
  })

  const reinforce = defineTool({
    name: 'reinforce',
    profile: 'core',
    permission: 'lifecycle:write',
    hints: changes,
    input: ReinforceInput,
    output: reinforceOutput,
    description:
      'Says whether recalled records helped, after you have used them. What helps stays longer, what does not fades sooner.',
    async run({ call, actor, describe }, { ids, outcome }) {
      const why = { actor, rationale: outcome === 'helped' ? 'it helped' : 'it did not help' }
      const outcomes =
        outcome === 'helped'
          ? await reinforcement.reinforceAll(call, ids, why)
          : await reinforcement.penalizeAll(call, ids, { ...why, amount: penalty })
      const results = outcomes.map(({ id, outcome: each }) => ({
        id,
        ...(each instanceof AppError ? describe(each) : { status: 200, record: describeState(each) }),
      }))
      return { structured: { results } }
    },
  })

  return { remember, revise: createReviseTool(services), reinforce }
}

type Beside = { text: string | undefined; scope?: string }

function readRecord(record: unknown, { scope, ...others }: Beside): NewRecord {
  refuseBeside('record', others)
  const given = requireValid(NewRecord, record, '/record')
  return scope === undefined || given.scope !== undefined ? given : { ...given, scope }
}
