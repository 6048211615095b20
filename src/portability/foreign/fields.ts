import { maxTags } from '../../domain/schemas/request-fields.ts'
import { type AppError, createFaultError } from '../../kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'

/** Reads fields of foreign JSON. Several names mean the spellings of different versions; the first that is set counts. */

export type Fields = JsonObject

export function createFieldError(field: string, message: string): AppError {
  return createFaultError('The item does not have the form of its format.', {
    pointer: field === '' ? '' : `/${field}`,
    message,
  })
}

export function asFields(value: unknown, field = ''): Fields {
  if (isJsonObject(value)) return value
  throw createFieldError(field, 'must be an object')
}

/** The value of the first name that is set; null counts as not set. */
export function pick(fields: Fields, ...names: string[]): unknown {
  const name = names.find((each) => Object.hasOwn(fields, each) && fields[each] !== null)
  return name === undefined ? undefined : fields[name]
}

/** A text that must be there and not be blank. */
export function requireText(fields: Fields, ...names: string[]): string {
  const found = readWord(fields, ...names)
  if (found !== undefined) return found
  throw createFieldError(names[0] ?? '', 'must be a text that is not empty')
}

/** A text or a number as a text; undefined when absent or blank. */
export function readWord(fields: Fields, ...names: string[]): string | undefined {
  const value = pick(fields, ...names)
  if (typeof value === 'number') return String(value)
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw createFieldError(names[0] ?? '', 'must be a text')
  return value.trim() === '' ? undefined : value
}

export function readNumber(fields: Fields, ...names: string[]): number | undefined {
  const value = pick(fields, ...names)
  if (value === undefined || typeof value === 'number') return value
  throw createFieldError(names[0] ?? '', 'must be a number')
}

/** Empty when absent. */
export function listOf(fields: Fields, ...names: string[]): readonly unknown[] {
  const value = pick(fields, ...names) ?? []
  if (Array.isArray(value)) return value
  throw createFieldError(names[0] ?? '', 'must be a list')
}

/** The texts of a list as tags, each once. Other items are left out. */
export function readTags(fields: Fields, ...names: string[]): { tags?: string[] } {
  const value = pick(fields, ...names)
  const texts = (Array.isArray(value) ? value : []).filter(
    (each): each is string => typeof each === 'string' && each.trim() !== '',
  )
  return texts.length === 0 ? {} : { tags: [...new Set(texts)].slice(0, maxTags) }
}

/** The time in RFC 3339; undefined when absent. A time without a zone is taken as UTC. */
export function readTime(fields: Fields, ...names: string[]): string | undefined {
  const value = pick(fields, ...names)
  if (value === undefined || value === '') return undefined
  const milliseconds = typeof value === 'number' ? toMilliseconds(value) : parseTime(value)
  const date = new Date(milliseconds)
  const year = date.getUTCFullYear()
  if (year >= 1 && year <= 9_999) return date.toISOString()
  throw createFieldError(names[0] ?? '', 'is not a time')
}

/** Numbers below this are seconds since 1970; larger ones are milliseconds. */
const minMilliseconds = 1e11

function toMilliseconds(value: number): number {
  return Math.abs(value) < minMilliseconds ? value * 1_000 : value
}

const timeForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

function parseTime(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN
  if (/^\d{1,16}(\.\d{1,9})?$/.test(value)) return toMilliseconds(Number(value))
  const [, day, minute = '00:00', second = '00', fraction = '', zone = 'Z'] =
    timeForm.exec(value.trim()) ?? []
  if (day === undefined) return Number.NaN
  return Date.parse(`${day}T${minute}:${second}${fraction.slice(0, 4)}${completeZone(zone)}`)
}

function completeZone(zone: string): string {
  if (zone.length === 1) return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
