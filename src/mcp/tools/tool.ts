import type { Static, TObject } from 'typebox'
import type { CallContext } from '../../db/transaction.ts'
import { inferEnumType } from '../../domain/schemas/schema-ref.ts'
import { type Caller, isAllowed, type Permission } from '../../domain/trust/caller.ts'
import type { AppError } from '../../kernel/errors.ts'
import type { TraceContext } from '../../kernel/span.ts'

/** `core` is always offered, the others on request. */
export const profiles = ['core', 'lifecycle', 'openai'] as const
export type Profile = (typeof profiles)[number]

/** The model reads these besides the description. */
type Hints = {
  readOnlyHint: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint: boolean
}

export const reads: Hints = { readOnlyHint: true, openWorldHint: false }
export const changes: Hints = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
export const repeats: Hints = { ...changes, idempotentHint: true }
export const removes: Hints = { readOnlyHint: false, destructiveHint: true, openWorldHint: false }

export type ToolContext = {
  call: CallContext
  /** Who acts, for the audit log. */
  actor: string
  /** Where clients reach this server. */
  origin: string
  trace: TraceContext | undefined
  describe(error: AppError): object
  report(message: string, error?: unknown): void
  /** Runs after the transaction of the tool. */
  afterwards(work: () => void): void
}

/**
 * Without `texts`, the structured answer is also the text. Some clients show a model only the texts, others only the
 * structured answer, so each of them must be enough.
 */
export type ToolAnswer = { structured?: object; texts?: readonly string[] }

type Definition<Input extends TObject> = {
  name: string
  profile: Profile
  permission: Permission
  description: string
  input: Input
  output?: object
  hints: Hints
  run(context: ToolContext, args: Static<Input>): Promise<ToolAnswer>
}

/** The arguments were checked against `input` before. */
export type Tool = Omit<Definition<TObject>, 'run'> & {
  run(context: ToolContext, args: unknown): Promise<ToolAnswer>
}

export function defineTool<Input extends TObject>({ run, ...rest }: Definition<Input>): Tool {
  return { ...rest, run: (context, args) => run(context, args as Static<Input>) }
}

export function isOffered(
  { permission, profile }: Tool,
  caller: Caller,
  chosen: ReadonlySet<Profile>,
): boolean {
  return chosen.has(profile) && isAllowed(caller, permission)
}

/** A tool as clients read it. */
export function describeTool({ name, description, input, output, hints }: Tool) {
  return {
    name,
    description,
    inputSchema: addEnumTypes(input) as { type: 'object' },
    ...(output ? { outputSchema: addEnumTypes(output) as { type: 'object' } } : {}),
    annotations: hints,
  }
}

function addEnumTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(addEnumTypes)
  if (typeof schema !== 'object' || schema === null) return schema
  const typed = Object.entries(schema).map(([name, value]) => [name, addEnumTypes(value)])
  return { ...Object.fromEntries(typed), ...inferEnumType({ ...schema }) }
}
