/** Where to look: a path relative to each root, without `..`, and the names that the file must contain. */
export type FileTarget = { path: string; names: readonly string[]; roots: readonly string[] }

/** A file, symbol or script that a record names, and the words by which it does. */
export type Reference = FileTarget & { kind: 'path' | 'symbol' | 'script'; reference: string }

/** `unknown`: the file could not be checked. */
export type Finding = 'found' | 'missing' | 'unknown'

const script = /\bnpm run(?:-script)? ([A-Za-z0-9][\w:.@/-]{0,127})/g
/** These options run the script of another directory. */
const otherDirectory = /--(?:workspaces?|prefix)\b|(?:^|\s)(?:-w|-ws|-C|cd)\s/

/** Returns the npm scripts that a text names. They must be in the package.json of a root. */
export function extractScripts(text: string, roots: readonly string[]): Reference[] {
  if (!text.includes('npm run') || otherDirectory.test(text)) return []
  return [...text.matchAll(script)].map(([, scriptName = '']) => {
    const name = scriptName.replace(/[.:]+$/, '')
    return { kind: 'script', reference: `npm run ${name}`, path: 'package.json', names: [name], roots }
  })
}

/** Returns undefined if the text is not the package.json of a project. */
export function hasScript(packageJson: string, name: string): boolean | undefined {
  const packageContent = parse(packageJson)
  if (typeof packageContent !== 'object' || packageContent === null) return undefined
  const scripts: unknown = Reflect.get(packageContent, 'scripts') ?? {}
  return typeof scripts === 'object' && scripts !== null ? Object.hasOwn(scripts, name) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const inner = /[\p{L}\p{N}_$]/u

/** Returns whether the text contains the name as a whole word. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1] ?? ''
    const after = text[at + word.length] ?? ''
    if (!inner.test(before) && !inner.test(after)) return true
  }
  return false
}
