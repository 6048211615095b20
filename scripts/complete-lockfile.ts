import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * npm omits an optional package from the lockfile when its registry does not have it, for example a partial mirror
 * without the binaries of other platforms; `npm ci` then refuses that lockfile everywhere. This script adds the
 * missing entries, without the checksums, which only the packages contain.
 */

type Entry = {
  version?: string
  dev?: true
  optional?: true
  os?: string[]
  cpu?: string[]
  libc?: string[]
  engines?: Record<string, string>
  license?: string
  optionalDependencies?: Record<string, string>
}
export type Lockfile = { packages: Record<string, Entry> }

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const processors = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64']

/** The missing entries by their path in the lockfile. */
export function findMissing({ packages }: Lockfile): Record<string, Entry> {
  const missing: Record<string, Entry> = {}
  for (const parent of Object.values(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`
      const nested = Object.keys(packages).some((key) => key.endsWith(`/${path}`))
      if (!packages[path] && !nested) missing[path] = describePlatform(name, version, parent)
    }
  }
  return missing
}

/** Without the platform npm would try to install the package here, from the registry that does not have it. */
function describePlatform(name: string, version: string, parent: Entry): Entry {
  if (!/^\d+\.\d+\.\d+\S*$/.test(version)) throw new Error(`unknown version of ${name}@${version}`)
  const words = name.split('/').at(-1)?.split('-') ?? []
  const os = words.filter((word) => systems.includes(word))
  const cpu = words.filter((word) => processors.includes(word))
  if (os.length !== 1 || cpu.length !== 1) throw new Error(`unknown platform of ${name}`)
  const libc = words.flatMap(listLibraries)
  return {
    version,
    cpu,
    ...(parent.dev ? { dev: true } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    os,
  }
}

function listLibraries(word: string): string[] {
  if (word.startsWith('musl')) return ['musl']
  return word.startsWith('gnu') ? ['glibc'] : []
}

if (import.meta.main) {
  const file = resolve(import.meta.dirname, '../package-lock.json')
  const lockfile: Lockfile = JSON.parse(readFileSync(file, 'utf8'))
  const packages = Object.entries({ ...lockfile.packages, ...findMissing(lockfile) })
  const sorted = packages.sort(([left], [right]) => (left < right ? -1 : 1))
  writeFileSync(
    file,
    `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`,
  )
}
