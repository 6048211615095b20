import type { Stats } from 'node:fs'
import { lstat, opendir, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A root directory at the time of its first check. */
export type RootState = { directory: string; real: string; device: number; inode: number }

export type Located = { real: string } | NotLocated
type NotLocated = 'missing' | 'unknown'

/** The same limit as Linux. */
const maxLinks = 40

/** Returns undefined for an empty directory: it may be the mount point of a disk that is not mounted. */
export async function readRootState(directory: string): Promise<RootState | undefined> {
  try {
    const real = await realpath(directory)
    const { dev: device, ino: inode } = await stat(real)
    const entries = await opendir(real)
    const first = await entries.read()
    await entries.close()
    return first === null ? undefined : { directory, real, device, inode }
  } catch {
    return undefined
  }
}

/** The directory may have been removed or replaced since the first check. */
export async function isUnchanged(rootState: RootState): Promise<boolean> {
  const now = await readRootState(rootState.directory)
  return now?.real === rootState.real && now.device === rootState.device && now.inode === rootState.inode
}

type Walk = { currentPath: string; remaining: string[]; links: number }

/**
 * Follows a path link by link. The resolution of the system would follow a link out of the root and reveal by its
 * errors which files exist there. Here no path outside the root is ever opened.
 */
export async function locateFile(rootState: RootState, path: string): Promise<Located> {
  const walk: Walk = { currentPath: rootState.real, remaining: path.split('/'), links: 0 }
  while (walk.remaining.length > 0) {
    const notLocated = await followSegment(walk, rootState)
    if (notLocated) return notLocated
  }
  return { real: walk.currentPath }
}

async function followSegment(walk: Walk, rootState: RootState): Promise<NotLocated | undefined> {
  const segment = walk.remaining.shift() ?? ''
  if (segment === '' || segment === '.') return undefined
  if (segment === '..') return goUp(walk, rootState)
  const next = join(walk.currentPath, segment)
  const entry = await readEntry(next)
  if (typeof entry === 'string') return entry
  if (entry.isSymbolicLink()) return followLink(walk, rootState, next)
  if (walk.remaining.length > 0 && !entry.isDirectory()) return 'missing'
  walk.currentPath = next
  return undefined
}

function goUp(walk: Walk, { real }: RootState): NotLocated | undefined {
  if (walk.currentPath === real) return 'unknown'
  walk.currentPath = dirname(walk.currentPath)
  return undefined
}

async function followLink(walk: Walk, rootState: RootState, link: string): Promise<NotLocated | undefined> {
  if (++walk.links > maxLinks) return 'unknown'
  const target = await readlink(link).catch(() => undefined)
  const inside =
    target === undefined ? undefined : toInsidePath(target, [rootState.real, rootState.directory])
  if (inside === undefined) return 'unknown'
  if (target?.startsWith('/')) walk.currentPath = rootState.real
  walk.remaining.unshift(...inside.split('/'))
  return undefined
}

/** Returns the target of a link, relative to the root if it is absolute. Undefined if it leads out of the root. */
function toInsidePath(target: string, roots: readonly string[]): string | undefined {
  if (!target.startsWith('/')) return target
  const root = roots.find((each) => target === each || target.startsWith(`${each}/`))
  return root === undefined ? undefined : target.slice(root.length)
}

async function readEntry(path: string): Promise<Stats | NotLocated> {
  try {
    return await lstat(path)
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown'
  }
}
