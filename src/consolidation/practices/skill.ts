import { createRecipeHandle } from '../../domain/identity/handles.ts'
import { listToolSequence } from '../../domain/procedures/tool-sequence.ts'
import { truncate } from '../../kernel/truncated-text.ts'
import type { Episode } from '../episode.ts'
import { saysWhatItIsAbout } from '../event-wording.ts'
import type { OutcomeCounts, Pattern, PracticeKind } from './practice-kind.ts'

/** A skill: a sequence of tools and its success rate. */

export const skillKind: PracticeKind = {
  stage: 'competence',
  type: 'competence',
  actor: 'consolidation/competence',
  figure: 'competence_extracted',
  minSuccesses: 2,
  countsField: 'performance',
  read: readSkill,
  readCounts,
  writeCounts,
}

const maxNameLength = 1_000
const maxSignalLength = 500
const maxTriggers = 10

function readSkill({ payload }: Episode): Pattern | undefined {
  const tools = listToolSequence(payload.tool_graph)
  if (tools.length === 0) return undefined
  return {
    handle: createRecipeHandle(tools),
    compose: (episode) => ({
      kind: 'competence',
      skill_name: truncate(tools.join(', then '), maxNameLength),
      triggers: listSignals(episode).map((signal) => ({ signal })),
      recipe: tools.map((tool) => ({ step: `Use ${tool}.`, tool })),
      required_tools: [...new Set(tools)],
      failure_modes: [],
      fallbacks: [],
    }),
  }
}

/** The summaries of the events around the use of the skill. */
function listSignals({ payload: { timeline } }: Episode): string[] {
  const signals = timeline.flatMap(({ summary, event_kind: kind }) => {
    const signal = truncate(summary && saysWhatItIsAbout(summary) ? summary : kind, maxSignalLength)
    return signal.trim() === '' ? [] : [signal]
  })
  return [...new Set(signals)].slice(0, maxTriggers)
}

function readCounts(stored: unknown): OutcomeCounts {
  const {
    success_count: successes = 0,
    failure_count: failures = 0,
    last_used_at: lastAt = null,
  } = (stored ?? {}) as { success_count?: number; failure_count?: number; last_used_at?: string }
  return { successes, failures, lastAt }
}

function writeCounts({ successes, failures, lastAt }: OutcomeCounts): object {
  const uses = successes + failures
  return {
    success_count: successes,
    failure_count: failures,
    success_rate: uses === 0 ? 0 : successes / uses,
    ...(lastAt === null ? {} : { last_used_at: lastAt }),
  }
}
