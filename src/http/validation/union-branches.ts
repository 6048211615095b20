import type { TSchema } from 'typebox'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'
import { nameTypes } from './fault-messages.ts'
import { readKeywords } from './schema-keywords.ts'

export type Mismatch = { kind: 'fault'; field?: string; message: string; allowed?: readonly unknown[] }

type Branches = { kind: 'branches'; variants: readonly TSchema[] } | Mismatch

/** Returns the variants of a union that the value was meant to be, or the fault when it is none of them. */
export function selectBranches(variants: readonly TSchema[], value: unknown): Branches {
  const allowed = listLiterals(variants)
  if (allowed) return { kind: 'fault', message: 'must be', allowed }
  const sameType = variants.filter((variant) => isOfType(readKeywords(variant).type, value))
  if (sameType.length === 0) return { kind: 'fault', message: `must be ${nameTypes(listTypes(variants))}` }
  if (sameType.length === 1 || !isJsonObject(value)) return { kind: 'branches', variants: sameType }
  const meant = sameType.filter((variant) => !isOpen(variant) || hasRequired(variant, value))
  if (meant.length === 1) return { kind: 'branches', variants: meant }
  return discriminate(meant.length > 0 ? meant : sameType, value)
}

/** An open variant has fewer faults than any other, so it is meant only by an object with all that it needs. */
function isOpen(variant: TSchema): boolean {
  const { properties, additionalProperties } = readKeywords(variant)
  return properties !== undefined && additionalProperties !== false
}

function hasRequired(variant: TSchema, value: JsonObject): boolean {
  return (readKeywords(variant).required ?? []).every((name) => Object.hasOwn(value, name))
}

/** Variants that differ in one literal field, such as `kind`, are chosen by that field alone. */
function discriminate(variants: readonly TSchema[], value: JsonObject): Branches {
  const field = findDiscriminator(variants)
  if (field === undefined) return { kind: 'branches', variants }
  const literals = variants.map((variant) => getLiteral(variant, field))
  const index = Object.hasOwn(value, field) ? literals.indexOf(value[field]) : -1
  const variant = variants[index]
  if (variant) return { kind: 'branches', variants: [variant] }
  const message = Object.hasOwn(value, field) ? 'must be' : 'is required,'
  return { kind: 'fault', field, message, allowed: literals }
}

function findDiscriminator(variants: readonly TSchema[]): string | undefined {
  const [first, ...others] = variants
  if (!first) return undefined
  return Object.keys(readKeywords(first).properties ?? {}).find(
    (name) =>
      getLiteral(first, name) !== undefined && others.every((other) => getLiteral(other, name) !== undefined),
  )
}

function getLiteral(variant: TSchema, field: string): unknown {
  const schema = readKeywords(variant).properties?.[field]
  return schema ? readKeywords(schema).const : undefined
}

/** All values that a union of literals allows; undefined when a variant is not a literal. */
function listLiterals(variants: readonly TSchema[]): unknown[] | undefined {
  const values = variants.map((variant): readonly unknown[] | undefined => {
    const { const: literal, enum: several, type } = readKeywords(variant)
    if (literal !== undefined) return [literal]
    return several ?? (type === 'null' ? [null] : undefined)
  })
  return values.every((each) => each !== undefined) ? values.flat() : undefined
}

function isOfType(type: string | undefined, value: unknown): boolean {
  switch (type) {
    case undefined:
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    case 'integer':
      return typeof value === 'number'
    default:
      return typeof value === type
  }
}

function listTypes(variants: readonly TSchema[]): string[] {
  return [...new Set(variants.map((variant) => readKeywords(variant).type ?? 'value'))]
}
