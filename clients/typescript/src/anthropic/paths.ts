/** Names of files and directories. They have no meaning outside this store: there is nothing for a path to escape to. */

export const root = '/memories'

/** The path without `.`, `..` and repeated slashes. Throws for one that is not beneath the root, or that the model left out. */
export function resolvePath(path: string | undefined): string {
  if (path === undefined || (path !== root && !path.startsWith(`${root}/`))) {
    throw new Error(`Path must start with ${root}, got: ${path}`)
  }
  const names: string[] = []
  for (const name of path.slice(root.length).split('/')) {
    if (name === '..') {
      if (names.pop() === undefined) throw new Error(`Path ${path} would escape ${root} directory`)
    } else if (name !== '' && name !== '.') names.push(name)
  }
  const resolved = [root, ...names].join('/')
  if (resolved.length > 255) throw new Error(`Path ${path} is longer than 255 characters`)
  return resolved
}

/** The directories that hold the path, outermost first. */
export function listParents(path: string): string[] {
  const names = path.slice(1).split('/')
  return names.slice(1).map((_, index) => `/${names.slice(0, index + 1).join('/')}`)
}

/** Marks everything beneath a directory. */
export function createDirectoryTag(path: string): string {
  return `${path}/`
}
