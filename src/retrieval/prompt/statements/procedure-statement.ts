import type { Payload } from '../../../domain/payloads/payloads.ts'
import { containsWords, join, maxItems, type Write, writeLabelled } from './statement-parts.ts'

/** Says in plain text what a skill or a plan holds. */

type Competence = Extract<Payload, { kind: 'competence' }>
type PlanGraph = Extract<Payload, { kind: 'plan_graph' }>

export function describeSkill(payload: Competence, write: Write): string {
  const { skill_name: name, recipe, required_tools: tools, failure_modes, fallbacks, performance } = payload
  const steps = repeatsName(payload) ? [] : recipe.slice(0, maxItems).map(describeStep(write))
  const shown = new Set(recipe.map(({ tool }) => tool))
  const others = tools.filter((each) => !shown.has(each))
  const { success_count: good = 0, failure_count: bad = 0 } = performance ?? {}
  return join(
    [
      `Skill ${write(name)}${steps.length === 0 ? '' : `: ${steps.join(' ')}`}`,
      steps.length === 0 ? writeLabelled('Used for', listOccasions(payload), write) : '',
      writeLabelled('Tools', others, write),
      writeLabelled('Can fail', failure_modes, write),
      writeLabelled('Otherwise', fallbacks, write),
      good + bad === 0 ? '' : `Worked ${good} of ${good + bad} times`,
    ],
    '. ',
  )
}

/** A learned skill is named by its tools, and its steps say nothing else. */
function repeatsName({ skill_name: name, recipe }: Competence): boolean {
  return (
    recipe.length <= maxItems &&
    recipe.every(
      ({ step, tool, validation }) =>
        validation === undefined && step === `Use ${tool}.` && containsWords(name, tool ?? ''),
    )
  )
}

type Step = Competence['recipe'][number]

const describeStep =
  (write: Write) =>
  ({ step, tool, validation }: Step, index: number): string => {
    const extras = [
      tool === undefined || containsWords(step, tool) ? '' : `with ${write(tool)}`,
      validation === undefined ? '' : `check ${write(validation)}`,
    ]
    return numberStep(index, write(step), extras)
  }

function numberStep(index: number, step: string, extras: readonly string[]): string {
  const extra = join(extras, ', ')
  return `${index + 1}. ${step}${extra === '' ? '' : ` (${extra})`}`
}

/** How many examples of its use tell what a skill is for. */
const maxOccasions = 3

/** A single word is the kind of an event, such as `tool_output`, and says less than the tools. */
function listOccasions({ triggers }: Competence): string[] {
  const signals = triggers.map(({ signal }) => signal)
  return signals.filter((signal) => !/^[\w-]+$/.test(signal)).slice(0, maxOccasions)
}

export function describePlan(payload: PlanGraph, write: Write): string {
  const { plan_id: id, intent, nodes, edges, constraints } = payload
  const numbers = new Map(nodes.map((node, index) => [node.id, index + 1]))
  const shown = nodes.slice(0, maxItems)
  const before = new Map(shown.map(({ id }) => [id, new Set<number>()]))
  for (const { from, to } of edges) before.get(to)?.add(numbers.get(from) ?? 0)
  const steps = shown.map((node, index) => {
    const after = [...(before.get(node.id) ?? [])].slice(0, maxItems)
    const extras = [
      after.length > 0 ? `after ${after.join(', ')}` : '',
      node.guards === undefined ? '' : `if ${write(node.guards)}`,
    ]
    return numberStep(index, write(node.op), extras)
  })
  const name = intent !== undefined && /^plan-[0-9a-f]{32}$/.test(id) ? '' : write(id)
  const title = `Plan ${join([name, intent === undefined ? '' : write(intent).replace(/\.$/, '')], ', ')}`
  return join(
    [join([title, steps.join(' ')], ': '), constraints ? `Constraints: ${write(constraints)}` : ''],
    '. ',
  )
}
