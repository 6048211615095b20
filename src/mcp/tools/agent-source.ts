import type { SourceType } from '../../domain/trust/caller.ts'
import { chooseLeastTrusted } from '../../domain/trust/write-trust.ts'
import type { ToolContext } from './tool.ts'

/** A text of an agent does not come from a person, even with a person's key, unless the agent says so of a record. */
export function asAgent<Said extends object>({ caller }: ToolContext['call'], said: Said) {
  const source: SourceType = chooseLeastTrusted('ai', caller.sourceType)
  return { source_type: source, ...said }
}
