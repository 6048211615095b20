import type { Stats } from 'node:fs'
import { lstat, opendir, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A root as it was when it was first asked. */
export type RootState = { directory: string; real: string; device: number; inode: number }

export type Located = { real: string } | NotLocated
type NotLocated = 'missing' | 'unknown'

/** As many as Linux follows. */
const maxLinks = 40

/** An empty one counts as away: it is what is left of a mount point when its disk is not there. */
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

/** It may have been taken away, or another put in its place, since it was surveyed. */
export async function isUnchanged(rootState: RootState): Promise<boolean> {
  const now = await readRootState(rootState.directory)
  return now?.real === rootState.real && now.device === rootState.device && now.inode === rootState.inode
}

type Walk = { currentPath: string; remaining: string[]; links: number }

/**
 * Follows a path link by link. The system's own resolution would follow a link out of the root, and tell of files
 * out there by failing or not; here nothing outside is so much as asked for.
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

/** What a link says, as seen from the root if it is absolute; undefined when that leads out. */
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
