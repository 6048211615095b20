import type { Static } from 'typebox'
import { type Caller, isAllowed } from '../../domain/trust/caller.ts'
import type { JobName } from '../../jobs/job-names.ts'
import { AppError } from '../../kernel/errors.ts'
import type {
  createForgettingService,
  createLayerService,
  createReinforcementService,
} from '../../lifecycle/index.ts'
import type { RecordsService, WrittenRecord } from '../../records/index.ts'
import { createInvalidArgumentsError, refuseBeside } from './arguments.service.ts'
import { describeChanged } from './bounded-answers.service.ts'
import { writeLine } from './shown-text.service.ts'
import { changes, defineTool, removes, repeats, type Tool, type ToolContext } from './tool.ts'
import { LayerInput, ReasonInput, RunInput, recordOutput, runOutput } from './tools.schemas.ts'

type Asked = { job: NonNullable<Static<typeof RunInput>['job']>; dry_run: boolean; scope?: string }

type RunChange = { record_id: string }

export type LifecycleServices = {
  records: RecordsService
  layers: ReturnType<typeof createLayerService>
  reinforcement: ReturnType<typeof createReinforcementService>
  forgetting: ReturnType<typeof createForgettingService>
  maintenance: {
    request(call: ToolContext['call'], asked: Asked, trace: ToolContext['trace']): Promise<{ id: string }>
    read(call: ToolContext['call'], id: string): Promise<object>
    listRunChanges(
      call: ToolContext['call'],
      id: string,
      page: { limit: number },
    ): Promise<{ items: RunChange[]; next_cursor?: string }>
  }
  announcements?: { announceRun(job: JobName, id: string): Promise<unknown> } | undefined
}

type Act = (
  call: ToolContext['call'],
  id: string,
  why: { actor: string; rationale: string },
) => Promise<WrittenRecord>

const mostChanges = 20
const longestText = 200

/** The tools of profile `lifecycle`, for an agent that maintains the memory. */
export function createLifecycleTools(services: LifecycleServices): Tool[] {
  const { records, layers, reinforcement, forgetting, maintenance, announcements } = services
  const ofProfile = { profile: 'lifecycle', permission: 'lifecycle:write', output: recordOutput } as const

  const move = (name: 'promote' | 'demote', description: string) =>
    defineTool({
      ...ofProfile,
      name,
      description,
      hints: changes,
      input: LayerInput,
      async run({ call, actor }, { id, layer, reason }) {
        const to = layer === undefined ? {} : { layer }
        const record = await layers[name](call, id, { ...to, actor, rationale: reason })
        return { structured: { record: describeChanged(record) } }
      },
    })

  const act = (given: Pick<Tool, 'name' | 'description' | 'hints'> & Partial<Tool>, perform: Act) =>
    defineTool({
      ...ofProfile,
      ...given,
      input: ReasonInput,
      async run({ call, actor }, { id, reason }) {
        const record = await perform(call, id, { actor, rationale: reason })
        return { structured: { record: describeChanged(record) } }
      },
    })

  const run = defineTool({
    name: 'run',
    profile: 'lifecycle',
    permission: 'maintenance:run',
    hints: removes,
    input: RunInput,
    output: runOutput,
    description:
      'Queues a maintenance job and returns at once. With the id of the run instead of a job: its status, stats and first 20 changes. A dry run changes nothing.',
    async run({ call, trace, afterwards }, { id, job, dry_run: isDry, scope }) {
      if (id !== undefined) {
        refuseBeside('id', { job, dry_run: isDry, scope })
        return { structured: await readRun(call, id) }
      }
      if (job === undefined)
        throw createInvalidArgumentsError([{ pointer: '/job', message: 'is required, or `id`' }])
      const asked = { job, dry_run: isDry ?? true, ...(scope === undefined ? {} : { scope }) }
      const queued = await maintenance.request(call, asked, trace)
      afterwards(() => void announcements?.announceRun(job, queued.id))
      return { structured: { run: queued } }
    },
  })

  async function readRun(call: ToolContext['call'], id: string): Promise<object> {
    if (!isAllowed(call.caller, 'records:read'))
      throw new AppError('forbidden', 'The result of a run needs the permission records:read.')
    const read = await maintenance.read(call, id)
    const { items, next_cursor: next } = await maintenance.listRunChanges(call, id, { limit: mostChanges })
    return { run: read, changes: await addTexts(call.caller, items), has_more_changes: next !== undefined }
  }

  /** With the beginning of the text of each record that still exists and that the key reads in full. */
  async function addTexts(caller: Caller, items: readonly RunChange[]): Promise<object[]> {
    const ids = items.map((change) => change.record_id)
    const readable = await records.listReadable(caller, [...new Set(ids)])
    const texts = new Map(readable.map((record) => [record.id, writeLine(record, longestText)]))
    return items.map((change) => ({ ...change, text: texts.get(change.record_id) }))
  }

  return [
    move(
      'promote',
      'Moves a record to the next layer (working, episodic, semantic) or to the one named, where it counts more.',
    ),
    move('demote', 'Moves a record to the layer before or to the one named, where it counts less.'),
    act({ name: 'pin', description: 'Keeps a record from fading.', hints: repeats }, reinforcement.pin),
    act(
      { name: 'unpin', description: 'Lets a pinned record fade again.', hints: repeats },
      reinforcement.unpin,
    ),
    act(
      {
        name: 'forget',
        permission: 'records:write',
        hints: removes,
        description: 'Removes a record from all answers. It can be restored for some time.',
      },
      forgetting.forget,
    ),
    act(
      { name: 'restore', description: 'Brings a forgotten record back.', hints: changes },
      forgetting.restore,
    ),
    run,
  ]
}
