import { constants, inflateRawSync } from 'node:zlib'
import { isArchive } from './archive/member-reading.ts'
import type { ForeignFormat } from './formats.ts'
import { isSqlite } from './sqlite-table.ts'

/** The format of a file by its beginning: `membrane` for lines of our own, undefined when nothing shows it. */
export type DetectedFormat = ForeignFormat | 'membrane'

/** How many bytes at the beginning of a file are read. */
export const headBytes = 65_536

/**
 * Marks by which a format is known, in the order in which they are looked for. A quote inside a JSON text has a
 * backslash before it, so no text of a memory can look like a member.
 */
const marks: readonly (readonly [DetectedFormat, RegExp])[] = [
  ['mem0', /"kind"\s*:\s*"mem0_oss_qdrant_export"/],
  ['mcp-memory', /^\s*\{[^\n]*"(?:entityType|relationType)"\s*:/],
  ['mcp-memory', /^\s*\{\s*"(?:entities|relations)"\s*:\s*\[.*"(?:entityType|relationType)"\s*:/s],
  ['claude-code', /"(?:parentUuid|leafUuid|isSnapshotUpdate)"\s*:/],
  ['codex', /^\s*\{[^\n]*"type"\s*:\s*"session_meta"/],
  ['codex', /"record_type"\s*:\s*"state"/],
  ['membrane', /^\s*\{[^\n]*"payload"\s*:\s*\{/],
  ['chatgpt', /"mapping"\s*:\s*\{/],
  ['claude', /"(?:chat_messages|conversations_memory|prompt_template|memory_files)"\s*:/],
  ['letta', /"(?:in_context_message_ids|block_ids)"\s*:|"agents"\s*:\s*\[/],
  ['graphiti', /"(?:source_node_uuid|entity_edges|episodes|group_id)"\s*:/],
  ['zep', /"(?:role_type|thread_created_at|relevant_facts)"\s*:/],
  ['openmemory', /"(?:primary_sector|decay_lambda|temporal_facts)"\s*:/],
  ['langgraph', /"(?:namespace|namespace_path|namespacePath|prefix)"\s*:/],
  ['mem0', /"memory"\s*:\s*"/],
  ['texts', /^\s*\[\s*"/],
  ['texts', /^\s*(?:\[\s*)?\{(?![^}]*"role"\s*:)[^}]*"text"\s*:\s*"/],
]

/** Files by which the archive of a format is known. */
const memberMarks: readonly (readonly [DetectedFormat, RegExp])[] = [
  ['hindsight', /^(?:[^/]+\/)?(?:manifest\.json|documents\/.+\.json)$/],
  ['chatgpt', /(?:^|\/)(?:chat\.html|user\.json|message_feedback\.json|shared_conversations\.json)$/],
  ['claude', /(?:^|\/)(?:(?:users|projects|memories)\.json$|memories\/.)/],
  ['basic-memory', /\.md$/],
]

export function detectFormat(head: Buffer): DetectedFormat | undefined {
  const shown = findShownFormat(head)
  return shown ?? (isArchive(head) ? undefined : detectText(head.toString('utf8')))
}

/** The format, where nothing that follows in the file can show another one. */
export function findShownFormat(head: Buffer): DetectedFormat | undefined {
  if (isArchive(head)) return detectArchive(head)
  if (isSqlite(head)) return 'mem0'
  const text = head.toString('utf8')
  if (/^---\r?\n/.test(text)) return 'basic-memory'
  return findMark(keepOuterLevel(text))
}

/** A text in UTF-16, as some programs of Windows write it, begins with this mark in one of its two byte orders. */
export function isUtf16(head: Buffer): boolean {
  return head.length >= 2 && [0xfeff, 0xfffe].includes(head.readUInt16BE())
}

export function isGzip(head: Buffer): boolean {
  return head.length >= 2 && head.readUInt16BE() === 0x1f8b
}

function detectText(text: string): DetectedFormat | undefined {
  return findMark(keepOuterLevel(text)) ?? findMark(text)
}

function findMark(text: string): DetectedFormat | undefined {
  return marks.find(([, mark]) => mark.test(text))?.[0]
}

/** The open brackets where a member belongs to the document or to an item of a list in it. */
const outerPlace = /^(?:\{?|\[\{?|\{\[\{?)$/

/**
 * Leaves out what is within the members of an item. There a person has free names: the `metadata` of a memory may have a
 * `group_id`, which would otherwise show another format.
 */
function keepOuterLevel(text: string): string {
  const kept: string[] = []
  let open = ''
  // How many brackets are open further inside. They are only counted: a file may have very many.
  let inner = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]|[^"[\]{}]+/gs)) {
    const isOpening = token === '{' || token === '['
    if (token === '}' || token === ']') {
      if (inner > 0) inner -= 1
      else open = open.slice(0, -1)
    }
    const isOuter = inner === 0 && outerPlace.test(open)
    if (isOuter) kept.push(token)
    if (isOpening && isOuter) open += token
    else if (isOpening) inner += 1
  }
  return kept.join('')
}

/** By the names of the files at the beginning, else by the beginning of the first file. */
function detectArchive(head: Buffer): DetectedFormat | undefined {
  const names: string[] = []
  for (let at = 0; at >= 0; at = head.indexOf('PK\u0003\u0004', at + 4, 'latin1'))
    if (at + 30 <= head.length)
      names.push(head.toString('utf8', at + 30, at + 30 + head.readUInt16LE(at + 26)))
  const byName = memberMarks.find(([, mark]) => names.some((name) => mark.test(name)))
  return byName?.[0] ?? detectText(unpackFirst(head).toString('utf8'))
}

function unpackFirst(head: Buffer): Buffer {
  if (head.length < 30) return head
  const from = 30 + head.readUInt16LE(26) + head.readUInt16LE(28)
  const data = head.subarray(from, from + packedBytes)
  if (head.readUInt16LE(8) !== 8) return data
  try {
    return inflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return Buffer.alloc(0)
  }
}

/** Unpacks to 4 MiB at most. */
const packedBytes = 4_096
