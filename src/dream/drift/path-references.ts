import type { FileTarget, Reference } from './references.ts'

/** Linux allows longer paths, but no text names one. */
export const maxReferenceLength = 1_024

/** A word that begins with a dash is an option. */
const pathCharacters = /^[\p{L}\p{N}_./][\p{L}\p{N}_.+@/-]*$/u
const extension = /.\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.[A-Za-z][A-Za-z0-9]{0,9}$/
const version = /^v?\d+(\.\d+)*\.(x|rc\d*|alpha\d*|beta\d*)$/i
const name = /^[\p{L}_$][\p{L}\p{N}_$]*$/u
/** In these files the part after # is a heading. */
const markup = /\.(md|mdx|markdown|html?|rst|adoc|txt)$/i

/** Returns the paths and symbols that a text names. */
export function extractPaths(text: string, roots: readonly string[]): Reference[] {
  if (!text.includes('/')) return []
  return splitWords(text).flatMap((word) => {
    const { path, names } = splitSymbol(word)
    const target = pathCharacters.test(path) && looksLikePath(path) ? resolvePath(path, roots) : undefined
    if (!target) return []
    return [{ ...target, names, kind: names.length > 0 ? 'symbol' : 'path', reference: word } as const]
  })
}

/** Returns the path relative to the roots. Undefined if an absolute path is outside of all roots. */
export function resolvePath(path: string, roots: readonly string[]): FileTarget | undefined {
  if (path.length > maxReferenceLength || /[\p{Cc}\\*?{}]|:\/\/|^\/\/|^~/u.test(path)) return undefined
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments.includes('..')) return undefined
  const plain = segments.join('/')
  if (!path.startsWith('/')) return { path: plain, names: [], roots }
  // If one root is inside another, the inner one is used, because the file is in both.
  const above = roots.filter((root) => `/${plain}`.startsWith(`${root}/`))
  const innermost = above.sort((left, right) => right.length - left.length)[0]
  if (innermost === undefined) return undefined
  return { path: plain.slice(innermost.length), names: [], roots: [innermost] }
}

/** A URL is one word, with any characters. */
function splitWords(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word.includes('/') && word.length <= maxReferenceLength && !word.includes('://'))
    .flatMap((word) => word.split(/["'`,;|]/))
    .map(unwrap)
    .filter((word) => word.includes('/'))
}

/** A loop, because a regular expression for the end of a word is tried again at every letter. */
function unwrap(word: string): string {
  let first = 0
  let end = word.length
  while (first < end && '([{<'.includes(word.charAt(first))) first++
  while (end > first && ')]}>.:!?'.includes(word.charAt(end - 1))) end--
  return word.slice(first, end)
}

/** `file#name` and `file::name` are symbols. `file:12` and `file#L12` are line numbers, which change too often. */
function splitSymbol(word: string): { path: string; names: readonly string[] } {
  const [, path = word, mark, rest = ''] = /^([^#:]+)(#|::|:(?=\d))(.*)$/.exec(word) ?? []
  const isLine = mark === ':' || (mark === '#' && (/^L\d+/.test(rest) || markup.test(path)))
  if (mark === undefined || isLine) return { path, names: [] }
  const names = rest.replace(/\(\)?$/, '').split(/::|[.#]/)
  return { path, names: names.length <= 8 && names.every((each) => name.test(each)) ? names : [] }
}

/** A path has a directory and an extension. `example.com/page.html` and `application/vnd.x` are not paths. */
function looksLikePath(path: string): boolean {
  if (path.startsWith('/')) return true
  const segments = path.replace(/^(\.\/)+/, '').split('/')
  const first = segments[0] ?? ''
  const last = segments.at(-1) ?? ''
  if (segments.length < 2 || !extension.test(last) || version.test(last)) return false
  return !/^[^.].*\.[A-Za-z]{2,}$/.test(first) && !/^application\/vnd\./.test(path)
}
