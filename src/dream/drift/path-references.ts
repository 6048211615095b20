import type { FileTarget, Reference } from './reference.ts'

/** A path of Linux may be longer; one that is told of is not. */
export const maxReferenceLength = 1_024

/** Not from a dash on, which begins an option. */
const pathCharacters = /^[\p{L}\p{N}_./][\p{L}\p{N}_.+@/-]*$/u
const extension = /.\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.[A-Za-z][A-Za-z0-9]{0,9}$/
const version = /^v?\d+(\.\d+)*\.(x|rc\d*|alpha\d*|beta\d*)$/i
const name = /^[\p{L}_$][\p{L}\p{N}_$]*$/u
/** There what follows a # is a heading. */
const markup = /\.(md|mdx|markdown|html?|rst|adoc|txt)$/i

/** The paths and symbols that a text names among its words. */
export function extractPaths(text: string, roots: readonly string[]): Reference[] {
  if (!text.includes('/')) return []
  return splitWords(text).flatMap((word) => {
    const { path, names } = splitSymbol(word)
    const target = pathCharacters.test(path) && looksLikePath(path) ? resolvePath(path, roots) : undefined
    if (!target) return []
    return [{ ...target, names, kind: names.length > 0 ? 'symbol' : 'path', reference: word } as const]
  })
}

/** The path beneath the roots: of an absolute one those that it lies beneath, and none when it lies outside. */
export function resolvePath(path: string, roots: readonly string[]): FileTarget | undefined {
  if (path.length > maxReferenceLength || /[\p{Cc}\\*?{}]|:\/\/|^\/\/|^~/u.test(path)) return undefined
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.length === 0 || segments.includes('..')) return undefined
  const plain = segments.join('/')
  if (!path.startsWith('/')) return { path: plain, names: [], roots }
  // The innermost, where one root lies beneath another: the same file is beneath both.
  const above = roots.filter((root) => `/${plain}`.startsWith(`${root}/`))
  const innermost = above.sort((left, right) => right.length - left.length)[0]
  if (innermost === undefined) return undefined
  return { path: plain.slice(innermost.length), names: [], roots: [innermost] }
}

/** An address of the web is a word of its own, whatever it is made of. */
function splitWords(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word.includes('/') && word.length <= maxReferenceLength && !word.includes('://'))
    .flatMap((word) => word.split(/["'`,;|]/))
    .map(unwrap)
    .filter((word) => word.includes('/'))
}

/** By hand: a pattern for the end of a word is tried from each of its letters. */
function unwrap(word: string): string {
  let [first, end] = [0, word.length]
  while (first < end && '([{<'.includes(word.charAt(first))) first++
  while (end > first && ')]}>.:!?'.includes(word.charAt(end - 1))) end--
  return word.slice(first, end)
}

/** `file#name` and `file::name` are symbols; `file:12` and `file#L12` are lines, which come and go. */
function splitSymbol(word: string): { path: string; names: readonly string[] } {
  const [, path = word, mark, rest = ''] = /^([^#:]+)(#|::|:(?=\d))(.*)$/.exec(word) ?? []
  const isLine = mark === ':' || (mark === '#' && (/^L\d+/.test(rest) || markup.test(path)))
  if (mark === undefined || isLine) return { path, names: [] }
  const names = rest.replace(/\(\)?$/, '').split(/::|[.#]/)
  return { path, names: names.length <= 8 && names.every((each) => name.test(each)) ? names : [] }
}

/** Lies beneath something and has an extension; `example.com/page.html` and `application/vnd.x` are none. */
function looksLikePath(path: string): boolean {
  if (path.startsWith('/')) return true
  const segments = path.replace(/^(\.\/)+/, '').split('/')
  const [first = '', last = ''] = [segments[0], segments.at(-1)]
  if (segments.length < 2 || !extension.test(last) || version.test(last)) return false
  return !/^[^.].*\.[A-Za-z]{2,}$/.test(first) && !/^application\/vnd\./.test(path)
}
