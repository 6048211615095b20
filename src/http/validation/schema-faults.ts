import type { TSchema } from 'typebox'
import { Compile, Errors } from 'typebox/schema'
import { namedSchemas } from '../../domain/schemas/schema-ref.ts'
import type { Fault } from '../../kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'
import { describeFault, describeUnknown, listValues } from './fault-messages.ts'
import { selectReferred } from './referred-schemas.ts'
import { joinPointer, type Keywords, readKeywords } from './schema-keywords.ts'
import { type Mismatch, selectBranches } from './union-branches.ts'

/**
 * A longer name is described in the message instead of the pointer: a hundred long pointers would make an answer of
 * 10 MB.
 */
const maxPointerKeyLength = 200

export type Search = {
  faults: Fault[]
  limit: number
  /** The schemas whose fields a fault lists already: a hundred lists would hide what is wrong. */
  listed: Set<Keywords>
}

/**
 * Lists the places where the value breaks the schema, at most `limit`. It enters only parts that fail, each with its
 * own compiled check, so a large hostile body costs little more than the first check. TypeBox can list errors itself,
 * but it checks every part, reports all branches of a union and resolves each `$ref` again: that takes seconds for a
 * body of the accepted size.
 */
export function findFaults(schema: TSchema, value: unknown, limit: number): Fault[] {
  const search: Search = { faults: [], limit, listed: new Set() }
  searchSchema(search, schema, value, '')
  return search.faults
}

function searchSchema(search: Search, schema: TSchema, value: unknown, pointer: string): void {
  if (search.faults.length >= search.limit || isValid(schema, value)) return
  const before = search.faults.length
  const target = readKeywords(resolve(schema))
  if (target.anyOf) searchUnion(search, target.anyOf, value, pointer)
  for (const part of target.allOf ?? []) searchSchema(search, part, value, pointer)
  searchOwn(search, target, value, pointer)
  if (isJsonObject(value)) searchFields(search, target, value, pointer)
  if (Array.isArray(value) && target.items) searchItems(search, target.items, value, pointer)
  // A keyword that this function does not know still makes the value invalid; the message is then general.
  if (search.faults.length === before) report(search, pointer, 'is not valid')
}

function report(search: Search, pointer: string, message: string): void {
  if (search.faults.length < search.limit) search.faults.push({ pointer, message })
}

type Check = (value: unknown) => boolean

const checks = new WeakMap<TSchema, Check>()
/** By their text: references and queries without parameters, which each route writes again. */
const shortChecks = new Map<string, Check>()
const maxShortLength = 100

export function isValid(schema: TSchema, value: unknown): boolean {
  let check = checks.get(schema)
  if (!check) {
    check = compileCheck(schema)
    checks.set(schema, check)
  }
  return check(value)
}

/** Compiling takes about a millisecond: without sharing, it was most of the time that building the app takes. */
function compileCheck(schema: TSchema): Check {
  const text = JSON.stringify(schema)
  const shared = shortChecks.get(text)
  if (shared) return shared
  const validator = Compile(selectReferred(text, namedSchemas), schema)
  const check: Check = (value) => validator.Check(value)
  if (text.length <= maxShortLength) shortChecks.set(text, check)
  return check
}

function resolve(schema: TSchema): TSchema {
  const { $ref: name } = readKeywords(schema)
  if (name === undefined) return schema
  const target = namedSchemas[name]
  if (!target) throw new TypeError(`no schema is named ${name}`)
  return resolve(target)
}

/** Checks the keywords that concern this value only: its type, range and length. */
function searchOwn(search: Search, schema: Keywords, value: unknown, pointer: string): void {
  const { anyOf: _, allOf: _1, properties: _2, patternProperties: _3, ...rest } = schema
  const { additionalProperties: _4, required: _5, items: _6, $id: _7, uniqueItems, ...own } = rest
  const [, errors] = Errors(own, value)
  for (const { keyword, params } of errors) {
    report(search, pointer, describeFault(keyword, params, own, value))
  }
  // TypeBox lists the places of the items that are repeated, which takes minutes for fifty thousand of them.
  if (uniqueItems && Array.isArray(value) && new Set(value).size < value.length)
    report(search, pointer, describeFault('uniqueItems', {}, own))
}

function searchFields(search: Search, schema: Keywords, value: JsonObject, pointer: string): void {
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) report(search, joinPointer(pointer, name), 'is required')
  }
  for (const name of Object.keys(value)) {
    if (search.faults.length >= search.limit) return
    const field = findFieldSchema(schema, name)
    if (field === false) reportUnknown(search, schema, pointer, name)
    else if (name === 'payload' && isOfOtherType(schema, value))
      report(search, `${pointer}/payload/kind`, `must equal the type, ${value['type']}`)
    else if (field !== true) searchSchema(search, field, value[name], joinPointer(pointer, name))
  }
}

/**
 * Whether the payload is of another type than its record. To report what such a payload lacks would lead the client away from
 * its mistake.
 */
function isOfOtherType({ properties = {} }: Keywords, { type, payload }: JsonObject): boolean {
  const types = properties['type']
  if (!types || !isJsonObject(payload) || !isValid(types, type)) return false
  const { kind } = payload
  return kind !== type && isValid(types, kind)
}

function findFieldSchema(schema: Keywords, name: string): TSchema | boolean {
  const { properties, patternProperties, additionalProperties } = schema
  if (properties && Object.hasOwn(properties, name)) return properties[name] ?? true
  const pattern = Object.keys(patternProperties ?? {}).find((each) => new RegExp(each, 'u').test(name))
  if (pattern !== undefined) return patternProperties?.[pattern] ?? true
  return additionalProperties ?? true
}

function reportUnknown(search: Search, schema: Keywords, pointer: string, name: string): void {
  const known = { all: Object.keys(schema.properties ?? {}), listed: search.listed.has(schema) }
  search.listed.add(schema)
  if (name.length <= maxPointerKeyLength)
    report(search, joinPointer(pointer, name), describeUnknown('field', name, known))
  else report(search, pointer, `has an unknown field that starts with ${JSON.stringify(name.slice(0, 40))}`)
}

function searchItems(search: Search, items: TSchema, value: readonly unknown[], pointer: string): void {
  for (const [index, item] of value.entries()) {
    if (search.faults.length >= search.limit) return
    searchSchema(search, items, item, joinPointer(pointer, index))
  }
}

/** Reports the branch that the client meant; if several are possible, the one with the fewest faults. */
function searchUnion(search: Search, variants: readonly TSchema[], value: unknown, pointer: string): void {
  const meant = selectBranches(variants.map(resolve), value)
  const faults =
    meant.kind === 'fault'
      ? [describeMismatch(meant, pointer)]
      : chooseNearestFaults(search, meant.variants, value, pointer)
  for (const fault of faults) report(search, fault.pointer, fault.message)
}

function describeMismatch({ field, message, allowed }: Mismatch, pointer: string): Fault {
  return {
    pointer: field === undefined ? pointer : joinPointer(pointer, field),
    message: allowed ? `${message} one of ${listValues(allowed)}` : message,
  }
}

function chooseNearestFaults(
  search: Search,
  variants: readonly TSchema[],
  value: unknown,
  pointer: string,
): readonly Fault[] {
  const attempts = variants.map((variant) => {
    const attempt: Search = { faults: [], limit: search.limit, listed: new Set(search.listed) }
    searchSchema(attempt, variant, value, pointer)
    return attempt.faults
  })
  return attempts.reduce((best, each) => (each.length < best.length ? each : best), attempts[0] ?? [])
}
