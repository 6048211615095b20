import type { NotesService } from '../capture/index.ts'
import { type SourceType, unscoped } from '../domain/trust/caller.ts'
import { chooseLeastTrusted } from '../domain/trust/write-trust.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { truncate } from '../kernel/truncated-text.ts'
import type { createReinforcementService } from '../lifecycle/index.ts'
import { isWhole, type MemoryRecord, NewRecord, type RecordsService } from '../records/index.ts'
import type { RevisionService } from '../revision/index.ts'
import { invalidArguments, requireValid } from './arguments.service.ts'
import { describeState } from './bounded-answers.service.ts'
import { changes, defineTool, repeats, type Tool, type ToolContext } from './tool.ts'
import {
  ReinforceInput,
  RememberInput,
  ReviseInput,
  reinforceOutput,
  rememberOutput,
  reviseOutput,
} from './tools.schemas.ts'

export type WritingServices = {
  notes: NotesService
  records: RecordsService
  revision: RevisionService
  reinforcement: ReturnType<typeof createReinforcementService>
  clock: Clock
}

/** Subtracted from the salience of a record that did not help. */
const penalty = 0.1
const longestReference = 2_048
const maxSubjects = 20

const leftOutNotice =
  'This text has the status challenged, so recall leaves it out: it was superseded or retracted before, or has become doubtful. If it holds, supersede the fact that holds now with this text, or this record if there is none.'

/** The tools of profile `core` that change records. Each change can be taken back. */
export function createWritingTools(services: WritingServices): Tool[] {
  const { notes, records, revision, reinforcement, clock } = services

  const remember = defineTool({
    name: 'remember',
    profile: 'core',
    permission: 'records:write',
    hints: repeats,
    input: RememberInput,
    output: rememberOutput,
    description:
      'Remembers a fact, decision or preference in plain words, one statement per call. The same text again is not stored twice.',
    async run({ call }, { text, record, ...more }) {
      if (record !== undefined) {
        const created = await records.create(call, asAgent(call, readRecord(record, text, more)))
        return { structured: { id: created.id, version: created.version, status: 'created' } }
      }
      if (text === undefined)
        throw invalidArguments([{ pointer: '/text', message: 'is required, or `record`' }])
      const { record: stored, outcome } = await notes.remember(call, asAgent(call, { text, ...more }))
      const status = outcome === 'created' ? 'created' : 'unchanged'
      const notice = 'status' in stored && stored.status === 'challenged' ? leftOutNotice : undefined
      return { structured: { id: stored.id, version: stored.version, status, notice } }
    },
  })

  const revise = defineTool({
    name: 'revise',
    profile: 'core',
    permission: 'records:write',
    hints: changes,
    input: ReviseInput,
    output: reviseOutput,
    description:
      'Corrects a fact and keeps its history. supersede: text replaces it. contest: text (or reason) speaks against it. retract: it was wrong.',
    async run(context, { id, op, text, reason }) {
      const { call, actor } = context
      const why = { actor, rationale: reason }
      if (op === 'retract') return { structured: { record: await revision.retract(call, id, why) } }
      if (op === 'contest') {
        const contesting = truncate(text ?? reason, longestReference)
        return {
          structured: { record: await revision.contest(call, id, { contesting_ref: contesting, ...why }) },
        }
      }
      if (text === undefined)
        throw invalidArguments([{ pointer: '/text', message: 'is required to supersede' }])
      return { structured: await supersede(context, id, text, reason) }
    },
  })

  /** The successor says the text about the same subject. Read and written at one version, so that no other change is lost. */
  async function supersede({ call, actor }: ToolContext, id: string, text: string, rationale: string) {
    const { caller, tx } = call
    const old = await records.read(caller, id, { tx })
    if (!isWhole(old)) throw new AppError('above_ceiling', 'The key sees this record only in redacted form.')
    const { payload, version } = old
    if (payload.kind === 'episodic') throw new AppError('episodic_immutable', 'An episode cannot be changed.')
    if (payload.kind !== 'semantic')
      throw new AppError('type_mismatch', 'Only the text of a fact can be replaced by a text.')
    const { revision: _, ...said } = payload
    const evidence = {
      source_type: 'event' as const,
      source_id: `key:${caller.principal}`,
      timestamp: clock.now().toISOString(),
    }
    const record = {
      type: 'semantic' as const,
      relations: await linkEntities(call, old, text),
      payload: { ...said, object: text, evidence: [evidence] },
    }
    const given = { record: asAgent(call, record), actor, rationale }
    return revision.supersede({ ...call, expectedVersions: [version] }, id, given)
  }

  /** The subject of a fact stays. The other entities are those that the new text names, as in a remembered text. */
  async function linkEntities(call: ToolContext['call'], old: MemoryRecord, text: string) {
    const subjects = old.relations.filter(({ predicate }) => predicate === 'subject_entity')
    const seen = await Promise.all(
      subjects
        .slice(0, maxSubjects)
        .map(({ target_id: id }) => records.read(call.caller, id, { tx: call.tx }).catch(() => undefined)),
    )
    const kept = seen.flatMap((each) => (each && isWhole(each) ? [each.id] : []))
    const { scope = unscoped, sensitivity } = old
    const named = await notes.findEntities(call, { text, scope, sensitivity })
    const others = named.filter(({ id }) => !kept.includes(id))
    return [
      ...kept.map((id) => ({ predicate: 'subject_entity', target_id: id })),
      ...others.map(({ id }) => ({ predicate: 'mentions_entity', target_id: id })),
    ]
  }

  const reinforce = defineTool({
    name: 'reinforce',
    profile: 'core',
    permission: 'lifecycle:write',
    hints: changes,
    input: ReinforceInput,
    output: reinforceOutput,
    description: 'Says whether recalled records helped. What helps stays longer, what does not fades sooner.',
    async run({ call, actor, describe }, { ids, outcome }) {
      const why = { actor, rationale: outcome === 'helped' ? 'it helped' : 'it did not help' }
      const outcomes =
        outcome === 'helped'
          ? await reinforcement.reinforceAll(call, ids, why)
          : await reinforcement.penalizeAll(call, ids, { ...why, amount: penalty })
      const results = ids.map((id, index) => {
        const each = outcomes[index]
        if (each instanceof AppError)
          return { id, ...(describe(each) as { status: number; problem: object }) }
        return { id, status: 200, ...(each ? { record: describeState(each) } : {}) }
      })
      return { structured: { results } }
    },
  })

  return [remember, revise, reinforce]
}

/** A text of an agent does not come from a person, even with a person's key, unless the agent says so of a record. */
function asAgent<Said extends object>({ caller }: ToolContext['call'], said: Said) {
  const source: SourceType = chooseLeastTrusted('ai', caller.sourceType)
  return { source_type: source, ...said }
}

type More = { scope?: string; about?: string; occurred_at?: string; sensitivity?: unknown }

function readRecord(record: unknown, text: string | undefined, { scope, ...others }: More): NewRecord {
  const misplaced = [...(text === undefined ? [] : ['text']), ...Object.keys(others)]
  if (misplaced.length > 0)
    throw invalidArguments(
      misplaced.map((name) => ({ pointer: `/${name}`, message: 'cannot be given beside `record`' })),
    )
  const given = requireValid(NewRecord, record, '/record')
  return scope === undefined || given.scope !== undefined ? given : { ...given, scope }
}
