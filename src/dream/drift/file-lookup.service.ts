import type { Stats } from 'node:fs'
import { lstat, opendir, readlink, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A root as it was when it was first asked. */
export type Ground = { directory: string; real: string; device: number; inode: number }

export type Located = { real: string } | Nowhere
type Nowhere = 'missing' | 'unknown'

/** As many as Linux follows. */
const mostLinks = 40

/** An empty one counts as away: it is what is left of a mount point when its disk is not there. */
export async function survey(directory: string): Promise<Ground | undefined> {
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
export async function isUnchanged(ground: Ground): Promise<boolean> {
  const now = await survey(ground.directory)
  return now?.real === ground.real && now.device === ground.device && now.inode === ground.inode
}

type Walk = { here: string; left: string[]; links: number }

/**
 * Follows a path link by link. The system's own resolution would follow a link out of the root, and tell of files
 * out there by failing or not; here nothing outside is so much as asked for.
 */
export async function locate(ground: Ground, path: string): Promise<Located> {
  const walk: Walk = { here: ground.real, left: path.split('/'), links: 0 }
  while (walk.left.length > 0) {
    const nowhere = await step(walk, ground)
    if (nowhere) return nowhere
  }
  return { real: walk.here }
}

async function step(walk: Walk, ground: Ground): Promise<Nowhere | undefined> {
  const segment = walk.left.shift() ?? ''
  if (segment === '' || segment === '.') return undefined
  if (segment === '..') return goUp(walk, ground)
  const next = join(walk.here, segment)
  const entry = await describe(next)
  if (typeof entry === 'string') return entry
  if (entry.isSymbolicLink()) return follow(walk, ground, next)
  if (walk.left.length > 0 && !entry.isDirectory()) return 'missing'
  walk.here = next
  return undefined
}

function goUp(walk: Walk, { real }: Ground): Nowhere | undefined {
  if (walk.here === real) return 'unknown'
  walk.here = dirname(walk.here)
  return undefined
}

async function follow(walk: Walk, ground: Ground, link: string): Promise<Nowhere | undefined> {
  if (++walk.links > mostLinks) return 'unknown'
  const target = await readlink(link).catch(() => undefined)
  const inside = target === undefined ? undefined : enter(target, [ground.real, ground.directory])
  if (inside === undefined) return 'unknown'
  if (target?.startsWith('/')) walk.here = ground.real
  walk.left.unshift(...inside.split('/'))
  return undefined
}

/** What a link says, as seen from the root if it is absolute; undefined when that leads out. */
function enter(target: string, roots: readonly string[]): string | undefined {
  if (!target.startsWith('/')) return target
  const root = roots.find((each) => target === each || target.startsWith(`${each}/`))
  return root === undefined ? undefined : target.slice(root.length)
}

async function describe(path: string): Promise<Stats | Nowhere> {
  try {
    return await lstat(path)
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown'
  }
}
