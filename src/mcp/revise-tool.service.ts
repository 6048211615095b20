import type { ContestingNotes, NotesService, TextNote } from '../capture/index.ts'
import { unscoped } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { truncate } from '../kernel/truncated-text.ts'
import { isWhole, type MemoryRecord, type RecordsService, requireWhole } from '../records/index.ts'
import type { RevisionService } from '../revision/index.ts'
import { asAgent } from './agent-source.ts'
import { invalidArguments } from './arguments.service.ts'
import { describeChanged } from './bounded-answers.service.ts'
import { reviseStatement } from './revised-statement.ts'
import { changes, defineTool, type Tool, type ToolContext } from './tool.ts'
import { ReviseInput, reviseOutput } from './tools.schemas.ts'

export type RevisingServices = {
  notes: NotesService
  contestingNotes: ContestingNotes
  records: RecordsService
  revision: RevisionService
  clock: Clock
}

const longestReference = 2_048
const maxSubjects = 20

type Given = { id: string; text?: string; reason: string; occurred_at?: string }

type Fact = MemoryRecord & { payload: Extract<MemoryRecord['payload'], { kind: 'semantic' }> }

/** The tool that corrects a fact. Each correction can be taken back. */
export function createReviseTool(services: RevisingServices): Tool {
  const { notes, contestingNotes, records, revision, clock } = services

  /** The successor says the text about the same subject. Read and written at one version, so that no other change is lost. */
  async function supersede(
    { call, actor }: ToolContext,
    { id, text, reason, occurred_at: time }: Given & { text: string },
  ) {
    const { caller, tx } = call
    const now = clock.now()
    if (time !== undefined && new Date(time) > now)
      throw invalidArguments([{ pointer: '/occurred_at', message: 'must not be in the future' }])
    const old = requireWhole(await records.read(caller, id, { tx }))
    if (old.payload.kind === 'episodic')
      throw new AppError('episodic_immutable', 'An episode cannot be changed.')
    if (!isFact(old))
      throw new AppError('type_mismatch', 'Only the text of a fact can be replaced by a text.')
    const { payload, version } = old
    const { revision: _, ...said } = payload
    const evidence = {
      source_type: 'event' as const,
      source_id: `key:${caller.principal}`,
      timestamp: time ?? now.toISOString(),
    }
    const subjects = await readSubjects(call, old)
    const names = [payload.subject, ...subjects.flatMap(listNames)]
    const record = {
      type: 'semantic' as const,
      relations: await linkEntities(call, old, { text, subjects }),
      payload: { ...said, ...reviseStatement(payload, names, text), evidence: [evidence] },
    }
    const given = { record: asAgent(call, record), actor, rationale: reason }
    const { record: successor, sources } = await revision.supersede(
      { ...call, expectedVersions: [version] },
      id,
      given,
    )
    return { record: describeChanged(successor), sources }
  }

  /** The subjects of a fact stay. The other entities are those that the new text names, as in a remembered text. */
  async function linkEntities(
    call: ToolContext['call'],
    { scope = unscoped, sensitivity }: Fact,
    { text, subjects }: { text: string; subjects: readonly MemoryRecord[] },
  ) {
    const kept = subjects.map(({ id }) => id)
    const named = await notes.findEntities(call, { text, scope, sensitivity })
    const others = named.filter(({ id }) => !kept.includes(id))
    return [
      ...kept.map((id) => ({ predicate: 'subject_entity', target_id: id })),
      ...others.map(({ id }) => ({ predicate: 'mentions_entity', target_id: id })),
    ]
  }

  async function readSubjects({ caller, tx }: ToolContext['call'], old: Fact): Promise<MemoryRecord[]> {
    const subjects = old.relations.filter(({ predicate }) => predicate === 'subject_entity')
    const ids = subjects.slice(0, maxSubjects).map(({ target_id: id }) => id)
    return records.listReadable(caller, ids, { tx })
  }

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
    const about = (await readSubjects(call, old)).flatMap(listNames)[0] ?? old.payload.subject
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
        throw invalidArguments([{ pointer: '/text', message: 'is required to supersede' }])
      return { structured: await supersede(context, { ...given, text }) }
    },
  })
}

function isFact(record: MemoryRecord): record is Fact {
  return record.payload.kind === 'semantic'
}

function listNames({ payload }: MemoryRecord): string[] {
  return payload.kind === 'entity'
    ? [payload.canonical_name, ...payload.aliases.map(({ value }) => value)]
    : []
}
