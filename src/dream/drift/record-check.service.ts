import type { Root } from '../../kernel/directories.ts'
import type { CheckedRecord } from './drift.queries.ts'
import type { Finding, Reference } from './reference.ts'
import type { Checker } from './reference-check.service.ts'
import { findReferences } from './reference-extraction.ts'

export type CheckedReference = { reference: Reference; finding: Finding }

/** `isWhole` is true if all roots of the references were readable. */
export type RecordCheck = { record: CheckedRecord; found: readonly CheckedReference[]; isWhole: boolean }

/** Looks for each reference of a record in the roots of its scope. */
export async function checkRecord(
  checker: Checker,
  roots: readonly Root[],
  { payload, ...rest }: CheckedRecord,
): Promise<RecordCheck> {
  const applicableRoots = roots.filter(({ scope }) => scope === undefined || scope === rest.scope)
  const directories = [...new Set(applicableRoots.map(({ directory }) => directory))]
  const references = payload === null ? [] : findReferences(payload, directories)
  const found = await Promise.all(
    references.map(async (reference) => ({ reference, finding: await checker.check(reference) })),
  )
  const isWhole = await checker.areReadable([...new Set(references.flatMap((each) => each.roots))])
  return { record: { ...rest, payload: null }, found, isWhole }
}
