import { type ContestingNotes, isFact, type RestatingService, type TextNote } from '../../capture/index.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { truncate } from '../../kernel/truncated-text.ts'
import { isWhole, type RecordsService } from '../../records/index.ts'
import type { RevisionService } from '../../revision/index.ts'
import { asAgent } from './agent-source.ts'
import { createInvalidArgumentsError } from './arguments.service.ts'
import { describeChanged } from './bounded-answers.service.ts'
import { changes, defineTool, type Tool, type ToolContext } from './tool.ts'
import { ReviseInput, reviseOutput } from './tools.schemas.ts'

export type RevisingServices = {
  contestingNotes: ContestingNotes
  restating: RestatingService
  records: RecordsService
  revision: RevisionService
}

const longestReference = 2_048

type Given = { id: string; text?: string; reason: string; occurred_at?: string }

/** The tool that corrects a fact. Each correction can be taken back. */
export function createReviseTool(services: RevisingServices): Tool {
  const { contestingNotes, records, restating, revision } = services

  /** A text against a fact becomes a fact of its own, so that a context shows it. Of other types only the reason is kept. */
  async function contest({ call, actor }: ToolContext, { id, text, reason, occurred_at: time }: Given) {
    const { caller, tx } = call
    const why = { actor, rationale: reason }
    const old = text === undefined ? undefined : await records.read(caller, id, { tx })
    if (text === undefined || !old || !isWhole(old) || !isFact(old)) {
      const contesting = truncate(text ?? reason, longestReference)
      return {
        record: describeChanged(await revision.contest(call, id, { contesting_ref: contesting, ...why })),
      }
    }
    const { scope, sensitivity } = old
    const about = await restating.nameSubject(call, old)
    const said = omitNulls<TextNote>({ text, about, sensitivity, scope, occurred_at: time })
    const { record, contesting } = await contestingNotes.contestWithNote(call, id, {
      note: asAgent(call, said),
      ...why,
    })
    // No words: a stored answer is searched for those of `record` alone when a record is erased.
    const { id: otherId, version } = contesting
    return { record: describeChanged(record), contested_by: { id: otherId, version } }
  }

  return defineTool({
    name: 'revise',
    profile: 'core',
    permission: 'records:write',
    hints: changes,
    input: ReviseInput,
    output: reviseOutput,
    description:
      'Corrects a fact that was wrong or has changed, and keeps its history; call it instead of remember. supersede: text replaces it. contest: text (or reason) speaks against it; recall then shows both. retract: it was wrong.',
    async run(context, { op, ...given }) {
      const { call, actor } = context
      const { id, text, reason } = given
      if (op === 'retract') {
        const retracted = await revision.retract(call, id, { actor, rationale: reason })
        return { structured: { record: describeChanged(retracted) } }
      }
      if (op === 'contest') return { structured: await contest(context, given) }
      if (text === undefined)
        throw createInvalidArgumentsError([{ pointer: '/text', message: 'is required to supersede' }])
      const restated = asAgent(call, { text, occurred_at: given.occurred_at, actor, rationale: reason })
      const { record, sources } = await restating.restate(call, id, restated)
      return { structured: { record: describeChanged(record), sources } }
    },
  })
}
