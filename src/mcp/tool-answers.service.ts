import type { ToolResult } from './protocol.service.ts'
import { boundAnswer } from './tools/bounded-answers.service.ts'
import { writeJson } from './tools/shown-text.service.ts'
import type { ToolAnswer } from './tools/tool.ts'

/** The stored answer. A text that repeats the structure is written again for a replay, so that an erase looks at one place. */
export type StoredToolAnswer = { structuredContent?: Record<string, unknown>; texts?: readonly string[] }

export function boundToolAnswer({ structured, texts }: ToolAnswer): StoredToolAnswer {
  return {
    ...(structured ? { structuredContent: boundAnswer(structured) as Record<string, unknown> } : {}),
    ...(texts === undefined ? {} : { texts }),
  }
}

export function presentAnswer({ structuredContent, texts }: StoredToolAnswer): ToolResult {
  if (!structuredContent) return asTexts(texts ?? [])
  return { ...asTexts(texts ?? [writeJson(structuredContent)]), structuredContent }
}

export function asTexts(texts: readonly string[]): Pick<ToolResult, 'content'> {
  return { content: texts.map((text) => ({ type: 'text', text })) }
}
