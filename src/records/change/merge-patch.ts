import { isJsonObject } from '../../kernel/json-objects.ts'

/** RFC 7396 JSON Merge Patch: null removes a member, an object merges, anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  const merged: Record<string, unknown> = isJsonObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergePatch(merged[name], value)
  }
  return merged
}
