import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import type { DriftRoot } from '../../domain/drift-roots.ts'
import type { CheckedRecord } from './drift.queries.ts'
import {
  isUnchanged,
  type Located,
  locateFile,
  type RootState,
  readRootState,
} from './file-lookup.service.ts'
import { findReferences } from './reference-extraction.ts'
import { type Finding, hasWord, type Reference } from './references.ts'
import { hasScript } from './script-references.ts'

type Checker = ReturnType<typeof createChecker>

/** `silent`: a root without package.json is another kind of project and says nothing about scripts. */
type Answer = Finding | 'silent'

/** A larger file is generated, and a record does not describe its content. */
const maxBytes = 1_048_576
/** Characters of file content in the cache. Dropped content is read again. */
const maxCachedLength = 32 * maxBytes
const maxAnswers = 100_000

/** Reads only files inside the roots. One checker is used for one run and reads each file once. */
export function createChecker() {
  const rootStates = new Map<string, Promise<RootState | undefined>>()
  const answers = new Map<string, Promise<Answer>>()
  const places = new Map<string, Promise<Located>>()
  const texts = new Map<string, Promise<string | undefined>>()
  let cachedLength = 0

  /** Returns `found` if any root has it, and `missing` if all roots that can answer lack it. */
  async function check(reference: Reference): Promise<Finding> {
    const rootAnswers = new Set<Answer>()
    for (const root of reference.roots) {
      const answer = await checkInRoot(root, reference)
      if (answer === 'found') return 'found'
      rootAnswers.add(answer)
    }
    return rootAnswers.has('missing') && !rootAnswers.has('unknown') ? 'missing' : 'unknown'
  }

  /** Returns whether all of the roots can be read. */
  async function areReadable(roots: readonly string[]): Promise<boolean> {
    const known = await Promise.all(roots.map((root) => getRootState(root)))
    return known.every((rootState) => rootState !== undefined)
  }

  function checkInRoot(root: string, reference: Reference): Promise<Answer> {
    const { kind, path, names } = reference
    if (answers.size > maxAnswers) for (const cache of [answers, places]) cache.clear()
    return getCached(answers, JSON.stringify([root, kind, path, names]), async () => {
      const rootState = await getRootState(root)
      if (!rootState) return 'unknown'
      const place = await getCached(places, `${root}\0${path}`, () => locateFile(rootState, path))
      if (place === 'missing') return confirmMissing(rootState, kind)
      if (place === 'unknown') return 'unknown'
      return kind === 'path' ? 'found' : checkInFile(place.real, reference)
    })
  }

  async function checkInFile(real: string, { kind, names }: Reference): Promise<Finding> {
    const text = await readOnce(real)
    if (text === undefined) return 'unknown'
    const [script = ''] = names
    const has = kind === 'script' ? hasScript(text, script) : names.every((name) => hasWord(text, name))
    if (has === undefined) return 'unknown'
    return has ? 'found' : 'missing'
  }

  async function readOnce(real: string): Promise<string | undefined> {
    if (cachedLength > maxCachedLength) {
      texts.clear()
      cachedLength = 0
    }
    return getCached(texts, real, async () => {
      const text = await readRegularFile(real)
      cachedLength += text?.length ?? 0
      return text
    })
  }

  function getRootState(root: string): Promise<RootState | undefined> {
    return getCached(rootStates, root, () => readRootState(root))
  }

  return { check, areReadable }
}

function getCached<T>(cache: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = cache.get(key)
  if (known) return known
  const answer = ask()
  cache.set(key, answer)
  return answer
}

/** If the root was removed meanwhile, nothing is known about its files. */
async function confirmMissing(rootState: RootState, kind: Reference['kind']): Promise<Answer> {
  if (!(await isUnchanged(rootState))) return 'unknown'
  return kind === 'script' ? 'silent' : 'missing'
}

/**
 * Reads a regular file only if it is still the one that was located. A link or a pipe put in its place is not
 * followed and does not block.
 */
async function readRegularFile(real: string): Promise<string | undefined> {
  try {
    const before = await lstat(real)
    if (!before.isFile() || before.size > maxBytes) return undefined
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { size, dev, ino } = await file.stat()
      const isSame = dev === before.dev && ino === before.ino && (await realpath(real)) === real
      return isSame && size <= maxBytes ? await file.readFile('utf8') : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

type CheckedReference = { reference: Reference; finding: Finding }

/** `isWhole` is true if all roots of the references were readable. */
export type RecordCheck = { record: CheckedRecord; found: readonly CheckedReference[]; isWhole: boolean }

/** Looks for each reference of a record in the roots of its scope. */
export async function checkRecord(
  checker: Checker,
  roots: readonly DriftRoot[],
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
