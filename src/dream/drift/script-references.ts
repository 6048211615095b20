import type { Reference } from './references.ts'

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
