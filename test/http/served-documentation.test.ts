import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { published } from '../support/http/openapi-operations.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

describe('the documentation of a running server', () => {
  let api: TestApp
  beforeAll(async () => {
    api = await startTestApp()
  })
  afterAll(() => api.close())

  it('is public and equals the document', async () => {
    const { status, body } = await api.request('GET', '/openapi.json', { key: false })
    expect(status).toBe(200)
    // Routes of other tests in this process can have added components, but no paths.
    expect(body).toMatchObject(published)
    expect(Object.keys((body as typeof published).paths)).toEqual(Object.keys(published.paths))
  })

  it('is a page whose assets all come from this server', async () => {
    const page = await api.request('GET', '/docs', { key: false })
    expect(page.status).toBe(200)
    const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(assets.length).toBeGreaterThan(4)
    for (const path of assets) {
      expect(path).toMatch(/^\/docs\//)
      expect((await api.request('GET', path, { key: false })).status, path).toBe(200)
    }
    const initializer = await api.request('GET', '/docs/static/swagger-initializer.js', { key: false })
    expect(`${page.text}${initializer.text}`).not.toMatch(
      /(?:https?:)?\/\/(?!www\.w3\.org|stackoverflow)[a-z]+\.[a-z]/,
    )
  })

  it('runs under a policy that forbids everything else', async () => {
    const { headers, text } = await api.request('GET', '/docs', { key: false })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
    // An inline script would not run under that policy.
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/)
  })

  it('serves no file outside its folder', async () => {
    for (const path of [
      '/docs/static/..%2f..%2fpackage.json',
      '/docs/static/%2e%2e/package.json',
      '/docs/static/nope.js',
    ]) {
      const { status, body } = await api.request('GET', path, { key: false })
      expect([400, 403, 404]).toContain(status)
      expect(body).toMatchObject({ code: expect.any(String) })
    }
  })
})
