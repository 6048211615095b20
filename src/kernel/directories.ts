/** A directory for the records of one scope, or of all scopes without `scope`. */
export type Root = { directory: string; scope: string | undefined }

/**
 * Parses absolute directories separated by commas, each alone or as `scope=/directory`; undefined when one is
 * invalid. The root `/` is invalid: no path would be outside of it.
 */
export function parseRoots(text: string): Root[] | undefined {
  const roots = text.split(',').map((item) => parseRoot(item.trim()))
  return roots.every((root) => root !== undefined) ? roots : undefined
}

function parseRoot(item: string): Root | undefined {
  const [, scope, path] = /^(?:([^/].{0,255}?)=)?(\/.*)$/u.exec(item) ?? []
  const segments = path?.split('/').filter((segment) => segment !== '' && segment !== '.') ?? []
  if (segments.length === 0 || segments.includes('..') || /\p{Cc}/u.test(item)) return undefined
  return { directory: `/${segments.join('/')}`, scope }
}
