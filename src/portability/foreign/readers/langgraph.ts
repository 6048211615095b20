import { isJsonObject } from '../../../kernel/json-objects.ts'
import { asFields, createFieldError, type Fields, pick, readTime, requireText } from '../fields.ts'
import { createNotePayload } from '../item-forms.ts'
import type { Item, Reader } from '../items.ts'
import { readJsonLines, readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set(['', 'items', 'rows', 'store'])

/** Rows of the store: an array, a member with an array, or one row in each line. */
export const readLanggraph: Reader = (file) => {
  const isDocument = /^\s*(?:\[|\{\s*"(?:items|rows|store)")/.test(file.head.toString('utf8'))
  const read = (value: unknown, line: number) => [readRow(value, line)]
  return isDocument ? readParts(file, lists, read) : readJsonLines(file, read)
}

function readRow(value: unknown, line: number): Item {
  const fields = asFields(value)
  const namespace = readNamespace(fields)
  const key = requireText(fields, 'key')
  const end = readTime(fields, 'expires_at', 'expiresAt')
  const payload = createNotePayload(namespace || 'store', readText(pick(fields, 'value')), { end })
  const createdAt = readTime(fields, 'created_at', 'createdAt')
  return {
    line,
    source: namespace === '' ? key : `${namespace}:${key}`,
    record: { type: 'semantic', payload },
    createdAt,
  }
}

/** A list of labels, or labels joined by a colon or a full stop; the same namespace in each form. */
function readNamespace(fields: Fields): string {
  const namespace = pick(fields, 'namespace', 'namespace_path', 'namespacePath', 'prefix') ?? ''
  if (typeof namespace === 'string') return namespace.replaceAll(':', '.')
  if (Array.isArray(namespace) && namespace.every((label) => typeof label === 'string'))
    return namespace.join('.')
  throw createFieldError('namespace', 'must be a text or a list of texts')
}

/** LangMem wraps the text twice. A value without a text of its own is kept as JSON. */
function readText(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (!isJsonObject(value)) throw createFieldError('value', 'must be an object or a text')
  for (const name of ['content', 'text', 'memory', 'data']) {
    const inner = pick(value, name)
    if (typeof inner === 'string' && inner.trim() !== '') return inner
    if (isJsonObject(inner) && typeof inner['content'] === 'string' && inner['content'].trim() !== '')
      return inner['content']
  }
  return JSON.stringify(value)
}
