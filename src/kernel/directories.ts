/** A directory that speaks for the records of one scope, or without one for those of all. */
export type Root = { directory: string; scope?: string }

/**
 * Absolute directories between commas, each alone or as `scope=/directory`; undefined where one is not. The whole
 * file system is none: beneath it nothing would be outside.
 */
export function parseRoots(text: string): Root[] | undefined {
  const roots = text.split(',').map((item) => parseRoot(item.trim()))
  return roots.every((root) => root !== undefined) ? roots : undefined
}

function parseRoot(item: string): Root | undefined {
  const [, scope, path] = /^(?:([^/].{0,255}?)=)?(\/.*)$/u.exec(item) ?? []
  const segments = path?.split('/').filter((segment) => segment !== '' && segment !== '.') ?? []
  if (segments.length === 0 || segments.includes('..') || /\p{Cc}/u.test(item)) return undefined
  return { directory: `/${segments.join('/')}`, ...(scope === undefined ? {} : { scope }) }
}
