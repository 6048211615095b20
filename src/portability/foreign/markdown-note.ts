import type { Fields } from './fields.ts'
import { createFenceReader, createSections, type Section } from './note-sections.ts'

/** A note of Markdown with fields at its top, observations and relations in lists, and other text. */
export type Note = {
  title: string
  fields: Fields
  sections: readonly Section[]
  observations: readonly { text: string; tags: readonly string[] }[]
  relations: readonly { predicate: string; target: string }[]
}

// In these patterns no character can be read by two neighbouring parts, so that a long line is not read again and again.
const observationLine = /^\s*[-*]\s+\[([^\]\n]{1,100})\](?!\()\s+(?!\s)(.*)$/
const relationLine = /^\s*[-*]\s+([^\s[\]](?:[^[\]\n]{0,126}[^\s[\]])?)\s*\[\[([^[\]\n]{1,1000})\]\]/
const bareLink = /\[\[([^[\]\n]{1,1000})\]\]/g
const tag = /(?:^|\s)#([\p{L}\p{N}_/-]{1,200})/gu
/** The texts that can stand between the brackets of a task list. */
const checkboxes: ReadonlySet<string> = new Set([' ', 'x', 'X', '-'])

export function parseNote(source: string, name: string): Note {
  const { fields, body } = splitFields(source)
  const title =
    typeof fields['title'] === 'string' && fields['title'] !== ''
      ? fields['title']
      : name.replace(/\.md$/, '')
  const observations = new Map<string, { text: string; tags: readonly string[] }>()
  const relations = new Map<string, { predicate: string; target: string }>()
  const relate = (predicate: string, target: string) =>
    relations.set(JSON.stringify([predicate, target]), { predicate, target })
  const sections = createSections(title)
  const isCode = createFenceReader()
  /** Whether the line is an item of a list with a meaning of its own. */
  const readItem = (line: string): boolean => {
    const [, category, said = ''] = observationLine.exec(line) ?? []
    if (category !== undefined && !checkboxes.has(category)) {
      const observation = readObservation(category, said)
      if (observation.text !== '') observations.set(observation.text, observation)
      return true
    }
    const [, predicate, target] = relationLine.exec(line) ?? []
    if (predicate === undefined || target === undefined) return false
    relate(predicate, target.trim())
    return true
  }
  for (const line of body.split(/\r?\n/)) {
    if (isCode(line)) {
      sections.add(line, true)
      continue
    }
    if (readItem(line)) continue
    for (const [, linked = ''] of line.matchAll(bareLink)) relate('links_to', linked.trim())
    if (!sections.readHeading(line)) sections.add(line, false)
  }
  return {
    title,
    fields,
    sections: sections.end(),
    observations: [...observations.values()],
    relations: [...relations.values()],
  }
}

/** The category and the words with `#` are tags. A remark in brackets at the end is left out. */
function readObservation(category: string, said: string): { text: string; tags: readonly string[] } {
  const text = said.replace(/\s\([^()]*\)\s*$/, '')
  const tags = [...text.matchAll(tag)].map(([, word = '']) => word)
  return {
    text: text.replaceAll(tag, '').trim(),
    tags: [...new Set([category.trim(), ...tags])].slice(0, 100),
  }
}

/** Reads the fields that are texts or lists of texts; others are left out. */
function splitFields(source: string): { fields: Fields; body: string } {
  const [whole, block] = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(source) ?? []
  if (whole === undefined || block === undefined) return { fields: {}, body: source }
  const fields = new Map<string, unknown>()
  let name = ''
  for (const line of block.split(/\r?\n/)) {
    const [, key, value = ''] = /^([\w-]{1,100}):\s*(?!\s)(.*)$/.exec(line) ?? []
    const [, item] = /^\s*-\s+(?!\s)(.*)$/.exec(line) ?? []
    if (key !== undefined) {
      name = key
      fields.set(key, readValue(value))
    } else if (item !== undefined && name !== '') {
      const before = fields.get(name)
      const items: unknown[] = Array.isArray(before) ? before : []
      items.push(unquote(item))
      fields.set(name, items)
    }
  }
  const tags = fields.get('tags')
  if (typeof tags === 'string')
    fields.set(
      'tags',
      tags.split(',').map((each) => each.trim()),
    )
  return { fields: Object.fromEntries(fields), body: source.slice(whole.length) }
}

function readValue(value: string): unknown {
  const [, list] = /^\[(.*)\]\s*$/.exec(value) ?? []
  return list === undefined ? unquote(value) : list.split(',').map(unquote)
}

function unquote(value: string): string {
  const trimmed = value.trim()
  return /^(["']).*\1$/.test(trimmed) ? trimmed.slice(1, -1) : trimmed
}
