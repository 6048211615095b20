import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createChecker } from '../../src/dream/drift/reference-check.service.ts'
import type { Reference } from '../../src/dream/drift/references.ts'

let base: string
let root: string
let outside: string

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'drift-checking-')))
  root = join(base, 'root')
  outside = join(base, 'outside')
  await mkdir(join(root, 'src'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(root, 'src/a.ts'), 'function run() {}')
  await writeFile(join(outside, 'sentinel.ts'), 'secret')
  await writeFile(join(outside, 'package.json'), '{"scripts": {"steal": "x"}}')
})
afterEach(() => rm(base, { recursive: true, force: true }))

const at = (path: string, more: Partial<Reference> = {}): Reference => ({
  kind: 'path',
  reference: path,
  path,
  names: [],
  roots: [root],
  ...more,
})
const symbol = (path: string, ...names: string[]) => at(path, { kind: 'symbol', names })
const script = (name: string) => at('package.json', { kind: 'script', names: [name] })
const check = (reference: Reference) => createChecker().check(reference)
const link = (target: string, path: string) => symlink(target, join(root, path))

describe('the check of a file below a root', () => {
  it('finds the file and the names in it', async () => {
    expect(await check(at('src/a.ts'))).toBe('found')
    expect(await check(at('src'))).toBe('found')
    expect(await check(at('src/b.ts'))).toBe('missing')
    expect(await check(at('absent/b.ts'))).toBe('missing')
    expect(await check(at('src/a.ts/b.ts'))).toBe('missing')
    expect(await check(symbol('src/a.ts', 'run'))).toBe('found')
    expect(await check(symbol('src/a.ts', 'run', 'walk'))).toBe('missing')
    expect(await check(symbol('src/b.ts', 'run'))).toBe('missing')
    expect(await check(symbol('src', 'run'))).toBe('unknown')
  })

  it('follows links that stay inside the root, however they are built', async () => {
    await link('a.ts', 'src/beside.ts')
    await link('../src', 'src/around')
    await link(root, 'src/top')
    await link(join(root, 'src/a.ts'), 'absolute.ts')
    for (const path of ['src/beside.ts', 'src/around/a.ts', 'src/top/src/a.ts', 'absolute.ts']) {
      expect([path, await check(symbol(path, 'run'))]).toEqual([path, 'found'])
      expect([path, await check(symbol(path, 'walk'))]).toEqual([path, 'missing'])
    }
    await link('gone.ts', 'src/dangling.ts')
    expect(await check(at('src/dangling.ts'))).toBe('missing')
  })

  it('finds a large file without looking for names in it', async () => {
    await writeFile(join(root, 'large.ts'), `run ${' '.repeat(1_048_576)}`)
    await writeFile(join(root, 'largest.ts'), `run ${' '.repeat(1_048_572)}`)
    expect(await check(at('large.ts'))).toBe('found')
    expect(await check(symbol('large.ts', 'run'))).toBe('unknown')
    expect(await check(symbol('largest.ts', 'run'))).toBe('found')
  })

  it('answers unknown when the path cannot be checked', async () => {
    await link('loop.ts', 'loop.ts')
    expect(await check(at('loop.ts'))).toBe('unknown')
    expect(await check(at(`${'x'.repeat(300)}.ts`))).toBe('unknown')
    execFileSync('sh', ['-c', `mkfifo ${join(root, 'pipe.ts')}`])
    expect(await check(symbol('pipe.ts', 'run'))).toBe('unknown')
  })

  it('answers unknown when a directory cannot be read', async () => {
    await mkdir(join(root, 'shut'))
    await writeFile(join(root, 'shut/a.ts'), 'run')
    await writeFile(join(root, 'src/shut.ts'), 'run')
    await chmod(base, 0o755)
    await chmod(join(root, 'shut'), 0)
    await chmod(join(root, 'src/shut.ts'), 0)
    const isRoot = process.getuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    try {
      expect(await check(at('shut/a.ts'))).toBe('unknown')
      expect(await check(at('shut/b.ts'))).toBe('unknown')
      expect(await check(at('src/shut.ts'))).toBe('found')
      expect(await check(symbol('src/shut.ts', 'run'))).toBe('unknown')
      expect(await check(at('src/b.ts'))).toBe('missing')
    } finally {
      if (isRoot) process.seteuid?.(0)
      await chmod(join(root, 'shut'), 0o755)
    }
  })

  it('reads a file once for many references', async () => {
    const checker = createChecker()
    expect(await checker.check(symbol('src/a.ts', 'run'))).toBe('found')
    await writeFile(join(root, 'src/a.ts'), 'walk')
    expect(await checker.check(symbol('src/a.ts', 'run'))).toBe('found')
    expect(await checker.check(symbol('src/a.ts', 'walk'))).toBe('missing')
    await rm(join(root, 'src/a.ts'))
    expect(await checker.check(at('src/a.ts'))).toBe('found')
    expect(await check(at('src/a.ts'))).toBe('missing')
  })
})

/** Present and missing names and files outside the root must give the same answer. */
describe('the check of a path outside the root', () => {
  const expectUntold = async (there: string, absent: string) => {
    for (const path of [there, absent]) {
      expect([path, await check(at(path))]).toEqual([path, 'unknown'])
      for (const name of ['secret', 'other']) {
        expect([path, name, await check(symbol(path, name))]).toEqual([path, name, 'unknown'])
      }
    }
  }

  it('reveals nothing through a link to a file', async () => {
    await link(join(outside, 'sentinel.ts'), 'there.ts')
    await link(join(outside, 'absent.ts'), 'absent.ts')
    await expectUntold('there.ts', 'absent.ts')
    await link('../outside/sentinel.ts', 'near.ts')
    await link('../outside/absent.ts', 'far.ts')
    await expectUntold('near.ts', 'far.ts')
  })

  it('reveals nothing through a link to a directory', async () => {
    await link(outside, 'dir')
    await link('/', 'src/all')
    await link('../..', 'src/up')
    await expectUntold('dir/sentinel.ts', 'dir/absent.ts')
    await expectUntold(`src/all${outside}/sentinel.ts`, `src/all${outside}/absent.ts`)
    await expectUntold('src/up/outside/sentinel.ts', 'src/up/outside/absent.ts')
  })

  it('reveals nothing through a link to a link or a link that starts inside', async () => {
    await link(outside, 'first')
    await link('first', 'second')
    await link(`${root}/../outside`, 'third')
    await link(`${root}-beside`, 'fourth')
    await mkdir(`${root}-beside`)
    await writeFile(`${root}-beside/sentinel.ts`, 'secret')
    for (const path of ['second', 'third', 'fourth']) {
      await expectUntold(`${path}/sentinel.ts`, `${path}/absent.ts`)
    }
  })

  it('reveals nothing through a path with `..`', async () => {
    await expectUntold('../outside/sentinel.ts', '../outside/absent.ts')
    await expectUntold('src/../../outside/sentinel.ts', 'src/../../outside/absent.ts')
    expect(await check(at('src/a\0.ts'))).toBe('unknown')
  })

  it('reveals no scripts of a package file', async () => {
    await link('../outside/package.json', 'package.json')
    expect([await check(script('steal')), await check(script('other'))]).toEqual(['unknown', 'unknown'])
  })

  it('never opens the path', async () => {
    await link(outside, 'dir')
    await link('../outside/sentinel.ts', 'there.ts')
    const calls = traceFiles([
      at('dir/sentinel.ts'),
      symbol('dir/sentinel.ts', 'secret'),
      symbol('there.ts', 'secret'),
    ])
    expect(calls).toContain(join(root, 'dir'))
    expect(calls.filter((path) => path.startsWith(outside))).toEqual([])
  })

  /** Lists every path that a separate process opens during a check. */
  function traceFiles(references: readonly Reference[]): string[] {
    const checking = new URL('../../src/dream/drift/reference-check.service.ts', import.meta.url).pathname
    const program = `
      import promises from 'node:fs/promises'
      import { syncBuiltinESMExports } from 'node:module'
      const asked = []
      for (const name of ['lstat', 'stat', 'open', 'opendir', 'readlink', 'realpath', 'readFile', 'access']) {
        const original = promises[name]
        promises[name] = (path, ...more) => { asked.push(path); return original(path, ...more) }
      }
      syncBuiltinESMExports()
      const { createChecker } = await import(${JSON.stringify(checking)})
      for (const each of ${JSON.stringify(references)}) await createChecker().check(each)
      console.log(JSON.stringify(asked))`
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    })
    return JSON.parse(output)
  }
})

describe('a drift root', () => {
  it('may be a link, also one that appears and disappears', async () => {
    await symlink(root, join(base, 'current'))
    const roots = [join(base, 'current')]
    await link(join(base, 'current/src/a.ts'), 'round.ts')
    expect(await check(at('src/a.ts', { roots }))).toBe('found')
    expect(await check(at('round.ts', { roots }))).toBe('found')
    expect(await check(at('src/b.ts', { roots }))).toBe('missing')
    await rm(join(base, 'current'))
    expect(await check(at('src/a.ts', { roots }))).toBe('unknown')
    expect(await createChecker().areReadable(roots)).toBe(false)
  })

  it('answers unknown when it is missing, empty or a file', async () => {
    await mkdir(join(base, 'empty'))
    await writeFile(join(base, 'file'), '')
    for (const name of ['absent', 'empty', 'file']) {
      const roots = [join(base, name)]
      expect([name, await check(at('src/a.ts', { roots }))]).toEqual([name, 'unknown'])
      expect(await createChecker().areReadable([root, ...roots])).toBe(false)
    }
    expect(await createChecker().areReadable([root])).toBe(true)
  })

  it.each(['goes away', 'becomes another'])(
    'that %s during a check counts nothing as missing',
    async (how) => {
      const checker = createChecker()
      expect(await checker.check(at('src/a.ts'))).toBe('found')
      expect(await checker.check(at('src/b.ts'))).toBe('missing')
      await rename(root, join(base, 'old'))
      if (how === 'becomes another') {
        await mkdir(root)
        await writeFile(join(root, 'x'), '')
      }
      expect(await checker.check(at('src/c.ts'))).toBe('unknown')
    },
  )

  it('is combined with others: found below one is found, unknown below one is not missing', async () => {
    const roots = [outside, root]
    expect(await check(at('src/a.ts', { roots }))).toBe('found')
    expect(await check(at('src/b.ts', { roots }))).toBe('missing')
    expect(await check(at('src/b.ts', { roots: [...roots, join(base, 'absent')] }))).toBe('unknown')
    const steal = (name: string) => check({ ...script(name), roots: [root, outside] })
    expect([await steal('steal'), await steal('other')]).toEqual(['found', 'missing'])
    expect(await check(script('steal'))).toBe('unknown')
  })
})
