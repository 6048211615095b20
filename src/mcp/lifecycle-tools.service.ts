import type { Static } from 'typebox'
import type { JobName } from '../jobs/job-names.ts'
import type {
  createForgettingService,
  createLayerService,
  createReinforcementService,
} from '../lifecycle/index.ts'
import { changes, defineTool, removes, repeats, type Tool, type ToolContext } from './tool.ts'
import { LayerInput, ReasonInput, RunInput, recordOutput, runOutput } from './tools.schemas.ts'

type Asked = { job: Static<typeof RunInput>['job']; dry_run: boolean; scope?: string }

export type LifecycleServices = {
  layers: ReturnType<typeof createLayerService>
  reinforcement: ReturnType<typeof createReinforcementService>
  forgetting: ReturnType<typeof createForgettingService>
  maintenance: {
    request(call: ToolContext['call'], asked: Asked, trace: ToolContext['trace']): Promise<{ id: string }>
  }
  announcements?: { announceRun(job: JobName, id: string): Promise<unknown> } | undefined
}

type Act = (
  call: ToolContext['call'],
  id: string,
  why: { actor: string; rationale: string },
) => Promise<object>

/** The tools of profile `lifecycle`, for an agent that maintains the memory. */
export function createLifecycleTools(services: LifecycleServices): Tool[] {
  const { layers, reinforcement, forgetting, maintenance, announcements } = services
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
        return { structured: { record: await layers[name](call, id, { ...to, actor, rationale: reason }) } }
      },
    })

  const act = (given: Pick<Tool, 'name' | 'description' | 'hints'> & Partial<Tool>, perform: Act) =>
    defineTool({
      ...ofProfile,
      ...given,
      input: ReasonInput,
      async run({ call, actor }, { id, reason }) {
        return { structured: { record: await perform(call, id, { actor, rationale: reason }) } }
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
      'Queues a maintenance job and returns at once; GET /v1/maintenance/runs/{id} has the result. A dry run changes nothing.',
    async run({ call, trace, afterwards }, { dry_run: isDry = true, ...asked }) {
      const queued = await maintenance.request(call, { ...asked, dry_run: isDry }, trace)
      afterwards(() => void announcements?.announceRun(asked.job, queued.id))
      return { structured: { run: queued } }
    },
  })

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
