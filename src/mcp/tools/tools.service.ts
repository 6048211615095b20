import type { Caller } from '../../domain/trust/caller.ts'
import { requireId } from './arguments.service.ts'
import { boundRecord } from './bounded-answers.service.ts'
import { createLifecycleTools, type LifecycleServices } from './lifecycle-tools.service.ts'
import { createOpenAiTools } from './openai-tools.service.ts'
import { createReadingTools, type ReadingServices } from './reading-tools.service.ts'
import type { Tool } from './tool.ts'
import { createWritingTools, type WritingServices } from './writing-tools.service.ts'

type Services = ReadingServices & WritingServices & LifecycleServices

/** The tools in the order in which clients list them, and the resource that is a record. */
export type Toolset = { tools: readonly Tool[]; readRecord(caller: Caller, id: string): Promise<object> }

export function createToolset(services: Services): Toolset {
  const { recall, get, explain, recent } = createReadingTools(services)
  const { remember, revise, reinforce } = createWritingTools(services)
  const core = [recall, remember, get, revise, reinforce, explain, recent]
  return {
    tools: [...core, ...createLifecycleTools(services), ...createOpenAiTools(services)],
    readRecord: async (caller, id) => boundRecord(await services.records.read(caller, requireId(id))),
  }
}
