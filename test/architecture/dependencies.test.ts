import { describe, expect, test } from 'vitest'
import { findMissing, type Lockfile } from '../../scripts/complete-lockfile.ts'
import { readSource } from './source-files.ts'

type Manifest = { dependencies?: Record<string, string>; devDependencies: Record<string, string> }

const manifest: Manifest = JSON.parse(readSource('package.json'))
const lockfile: Lockfile = JSON.parse(readSource('package-lock.json'))
const client: Manifest = JSON.parse(readSource('clients/typescript/package.json'))
const [, shipped = '', developed = '', ofClient = ''] = readSource('docs/dependencies.md').split(/^## .*$/m)

const entries = (section: string) => section.split('\n').filter((line) => line.startsWith('- '))
const names = (section: string) => entries(section).map((line) => /^- `(.+?)` /.exec(line)?.[1])

describe('docs/dependencies.md', () => {
  test('lists exactly the runtime dependencies', () => {
    expect(names(shipped)).toEqual(Object.keys(manifest.dependencies ?? {}))
  })

  test('lists exactly the development dependencies', () => {
    expect(names(developed)).toEqual(Object.keys(manifest.devDependencies))
  })

  test('lists exactly the dependencies of the client, which has none of its own', () => {
    expect(names(ofClient)).toEqual(Object.keys(client.devDependencies))
    expect(client.dependencies).toBeUndefined()
  })

  test('gives a reason for each in a sentence', () => {
    const bare = entries(shipped + developed + ofClient).filter(
      (line) => !/^- `.+?` [a-z].{20,}\.$/.test(line),
    )
    expect(bare).toEqual([])
  })
})

describe('package.json', () => {
  test('pins every version', () => {
    const pinned = { ...manifest.dependencies, ...manifest.devDependencies, ...client.devDependencies }
    const versions = Object.values(pinned)
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
  })

  test('has a lockfile without registry addresses, so that any mirror works', () => {
    expect(readSource('package-lock.json')).not.toMatch(/"resolved":\s*"https?:/)
  })

  test('has a lockfile with the packages of every platform, which npm ci requires', () => {
    expect(findMissing(lockfile)).toEqual({})
    const path = 'node_modules/@biomejs/cli-darwin-arm64'
    const { [path]: removed, ...packages } = lockfile.packages
    expect(findMissing({ packages })).toEqual({
      [path]: { version: removed?.version, cpu: ['arm64'], os: ['darwin'], dev: true, optional: true },
    })
  })
})
