import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { type Ground, isUnchanged, type Located, locate, survey } from './file-lookup.service.ts'
import type { Finding, Reference } from './reference.ts'
import { hasScript } from './script-references.ts'
import { hasWord } from './symbol-references.ts'

export type Checker = ReturnType<typeof createChecker>

/** `silent`: a root without a package.json is another sort of project, and has nothing to say about scripts. */
type Answer = Finding | 'silent'

/** Of a larger file nobody says by hand what is in it. */
const mostBytes = 1_048_576
/** Characters of files kept at once; what is dropped is read again. */
const mostKept = 32 * mostBytes
const mostAnswers = 100_000

/** Looks beneath the roots and nowhere else; of one run, in which each file is asked for once. */
export function createChecker() {
  const grounds = new Map<string, Promise<Ground | undefined>>()
  const answers = new Map<string, Promise<Answer>>()
  const places = new Map<string, Promise<Located>>()
  const texts = new Map<string, Promise<string | undefined>>()
  let kept = 0

  /** There beneath any of its roots, or missing beneath all that have a say. */
  async function check(reference: Reference): Promise<Finding> {
    const told = new Set<Answer>()
    for (const root of reference.roots) {
      const answer = await checkBeneath(root, reference)
      if (answer === 'found') return 'found'
      told.add(answer)
    }
    return told.has('missing') && !told.has('unknown') ? 'missing' : 'unknown'
  }

  /** Whether each of them can be looked at. */
  async function areThere(roots: readonly string[]): Promise<boolean> {
    const known = await Promise.all(roots.map((root) => groundOf(root)))
    return known.every((ground) => ground !== undefined)
  }

  function checkBeneath(root: string, reference: Reference): Promise<Answer> {
    const { kind, path, names } = reference
    if (answers.size > mostAnswers) for (const cache of [answers, places]) cache.clear()
    return remember(answers, JSON.stringify([root, kind, path, names]), async () => {
      const ground = await groundOf(root)
      if (!ground) return 'unknown'
      const place = await remember(places, `${root}\0${path}`, () => locate(ground, path))
      if (place === 'missing') return judgeMissing(ground, kind)
      if (place === 'unknown') return 'unknown'
      return kind === 'path' ? 'found' : checkWithin(place.real, reference)
    })
  }

  async function checkWithin(real: string, { kind, names }: Reference): Promise<Finding> {
    const text = await readOnce(real)
    if (text === undefined) return 'unknown'
    const [script = ''] = names
    const has = kind === 'script' ? hasScript(text, script) : names.every((name) => hasWord(text, name))
    if (has === undefined) return 'unknown'
    return has ? 'found' : 'missing'
  }

  async function readOnce(real: string): Promise<string | undefined> {
    if (kept > mostKept) {
      texts.clear()
      kept = 0
    }
    return remember(texts, real, async () => {
      const text = await read(real)
      kept += text?.length ?? 0
      return text
    })
  }

  function groundOf(root: string): Promise<Ground | undefined> {
    return remember(grounds, root, () => survey(root))
  }

  return { check, areThere }
}

function remember<T>(cache: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const known = cache.get(key)
  if (known) return known
  const asked = ask()
  cache.set(key, asked)
  return asked
}

/** Of a root that was taken away meanwhile nothing is known. */
async function judgeMissing(ground: Ground, kind: Reference['kind']): Promise<Answer> {
  if (!(await isUnchanged(ground))) return 'unknown'
  return kind === 'script' ? 'silent' : 'missing'
}

/**
 * A regular file that is still what was located: whoever puts a link or a pipe in its place meanwhile has nothing
 * read, and holds nobody up.
 */
async function read(real: string): Promise<string | undefined> {
  try {
    const before = await lstat(real)
    if (!before.isFile() || before.size > mostBytes) return undefined
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { size, dev, ino } = await file.stat()
      const isSame = dev === before.dev && ino === before.ino && (await realpath(real)) === real
      return isSame && size <= mostBytes ? await file.readFile('utf8') : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
