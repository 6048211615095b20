import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * npm leaves an optional package out of the lockfile when the registry it asked does not hold it, as a partial
 * mirror may not hold the binaries of other platforms; and then `npm ci` refuses that lockfile everywhere. This
 * adds what is missing, without the checksums that only the packages themselves could tell.
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

/** Paths in the lockfile's terms, with the entries they lack. */
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

/** Without the platform npm would try to install it here, and look for it in the registry that lacks it. */
function describePlatform(name: string, version: string, parent: Entry): Entry {
  if (!/^\d+\.\d+\.\d+\S*$/.test(version)) throw new Error(`cannot tell the version of ${name}@${version}`)
  const words = name.split('/').at(-1)?.split('-') ?? []
  const os = words.filter((word) => systems.includes(word))
  const cpu = words.filter((word) => processors.includes(word))
  if (os.length !== 1 || cpu.length !== 1)
    throw new Error(`cannot tell the platform of ${name} from its name`)
  const libc = words.flatMap((word) =>
    word.startsWith('musl') ? ['musl'] : word.startsWith('gnu') ? ['glibc'] : [],
  )
  return {
    version,
    cpu,
    ...(parent.dev ? { dev: true } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    os,
  }
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
