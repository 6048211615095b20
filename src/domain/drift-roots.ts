/** A directory in which drift checks look for the files that records name: those of one scope, or of all without `scope`. */
export type DriftRoot = { directory: string; scope: string | undefined }

/**
 * Parses absolute directories separated by commas, each alone or as `scope=/directory`; undefined when one is
 * invalid. The root `/` is invalid: no path would be outside of it.
 */
export function parseDriftRoots(text: string): DriftRoot[] | undefined {
  const roots = text.split(',').map((item) => parseRoot(item.trim()))
  return roots.every((root) => root !== undefined) ? roots : undefined
}

function parseRoot(item: string): DriftRoot | undefined {
  const [, scope, path] = /^(?:([^/].{0,255}?)=)?(\/.*)$/u.exec(item) ?? []
  const segments = path?.split('/').filter((segment) => segment !== '' && segment !== '.') ?? []
  if (segments.length === 0 || segments.includes('..') || /\p{Cc}/u.test(item)) return undefined
  return { directory: `/${segments.join('/')}`, scope }
}
