import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createConsoleFiles } from '../../src/console/index.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const page = (await app.request('GET', '/console', { key: false })).text
const base = /src="(\/console\/files\/[^/]+)\/browser\/main\.js"/.exec(page)?.[1] ?? ''
afterAll(() => app.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${app.url}${path}`, { headers })

describe('the page of the console', () => {
  it('is the same for every address below it, without a key', async () => {
    for (const path of [
      '/console',
      '/console/records',
      '/console/records/0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
    ]) {
      const response = await get(path)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await response.text()).toBe(page)
    }
  })

  it('allows scripts of this server and its import map, and nothing else', async () => {
    const policy = (await get('/console')).headers.get('content-security-policy') ?? ''
    const importMap = /<script type="importmap">(.*?)<\/script>/s.exec(page)?.[1] ?? ''
    const digest = createHash('sha256').update(importMap).digest('base64')
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'sha256-${digest}'`,
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
      ]),
    )
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(page.match(/<script(?! type="importmap"| type="module" src=)/g)).toBeNull()
    expect(page).not.toMatch(/<style|style=|\son\w+=/)
  })

  it('leaves the policy of the API as it is', async () => {
    const { headers } = await app.request('GET', '/v1/metrics')
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'")
  })

  it('answers 404 for what is neither a page nor a file', async () => {
    for (const path of [
      '/console/nothing',
      '/console/main.js',
      '/console/files',
      `${base}/browser/nothing.js`,
      `${base}/`,
      `${base}/browser/../../index.ts`,
      `${base}/browser/%2e%2e/index.ts`,
      `${base}/browser/README.md`,
      '/console/files/another-version/browser/main.js',
    ])
      expect((await get(path)).status, path).toBe(404)
  })

  it('is the answer to an unknown address too, and says there that it has no such page', async () => {
    const unknown = await get('/console/nothing')
    expect(unknown.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await unknown.text()).toBe(page)
  })

  it('is not served when MEMBRANE_CONSOLE is false', async () => {
    const other = await startTestApp({ variables: { MEMBRANE_CONSOLE: 'false' } })
    expect((await other.request('GET', '/console', { key: false })).status).toBe(404)
    expect((await other.request('GET', '/console/records', { key: false })).status).toBe(404)
    await other.close()
  })
})

describe('a file of the console', () => {
  it('may be cached for ever, because its address has a digest of all files', async () => {
    const response = await get(`${base}/browser/main.js`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect((await get('/console')).headers.get('cache-control')).toBe('no-cache')
  })

  it('is compressed for a client that accepts it, and plain for another', async () => {
    const path = `${base}/browser/main.js`
    const plain = await get(path, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    for (const encoding of ['br', 'gzip']) {
      const compressed = await get(path, { 'accept-encoding': encoding })
      expect(compressed.headers.get('content-encoding')).toBe(encoding)
      expect(compressed.headers.get('vary')).toContain('accept-encoding')
    }
    const { files } = await createConsoleFiles().read()
    const compressed = await files.get('browser/main.js')?.encode('gzip')
    expect(gunzipSync(compressed ?? Buffer.alloc(0)).toString()).toBe(await plain.text())
  })

  it('is found for every module and style sheet that the page names', async () => {
    const named = [...page.matchAll(/"(\/console\/files\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThan(15)
    for (const path of named) expect((await get(path)).status, path).toBe(200)
  })

  it('is at most 60 KB with each part of a page, compressed, before plots and graphs', async () => {
    const { files, page: text } = await createConsoleFiles().read()
    const readAll = async (encoding: 'gzip' | 'identity') =>
      new Map(
        await Promise.all(
          Array.from(files, async ([name, file]) => [name, await file.encode(encoding)] as const),
        ),
      )
    const [compressed, texts] = [await readAll('gzip'), await readAll('identity')]
    const sizeOf = (names: Iterable<string>) =>
      Array.from(names, (name) => compressed.get(name)?.length ?? 0).reduce((sum, size) => sum + size, 0)
    const read = (name: string) => texts.get(name)?.toString() ?? ''
    /** The modules that a module names, at once or later. */
    const namedBy = (name: string, pattern: RegExp) =>
      Array.from(read(name).matchAll(pattern), ([, path = '']) => join(dirname(name), path))
    const closureOf = (name: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(name) || /^browser\/plots\//.test(name)) return seen
      seen.add(name)
      for (const next of namedBy(name, /from '(\.[^']+)'/g)) closureOf(next, seen)
      return seen
    }
    const onDemand = /^packages\/(?:uplot|d3-)|^browser\/(?:pages|plots)\//
    const shell = [...files.keys()].filter((name) => !onDemand.test(name))
    const parts = [...files.keys()].flatMap((name) => namedBy(name, /import\('(\.[^']+)'\)/g))
    expect(parts.length).toBeGreaterThan(8)
    for (const part of parts) {
      const owner = /^browser\/pages\/[a-z]+/.exec(part)?.[0]
      const loaded = new Set([...shell, ...closureOf(`${owner}.page.js`), ...closureOf(part)])
      expect(text.length + sizeOf(loaded), part).toBeLessThanOrEqual(60 * 1024)
    }
  })
})
