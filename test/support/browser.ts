import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { isLongRun } from './long-run.ts'
import { rootKey, startTestApp, type TestApp } from './test-app.ts'

/** Where distributions install the browser; nothing is downloaded for the tests. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = places.find((place) => existsSync(place))

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
]

/** Without a browser these tests are skipped and say so; in CI they fail, so that nobody takes the silence for success. */
export function describeInBrowser(name: string, tests: () => void): void {
  const isMissing = executablePath === undefined && process.env['CI'] === undefined
  describe.skipIf(isMissing)(isMissing ? `${name} (no chromium here: apt-get install chromium)` : name, tests)
}

type Look = { colorScheme?: 'light' | 'dark'; width?: number; height?: number }

const mostUnlike = [
  ['light', 1_440],
  ['dark', 360],
] as const
const between = [
  ['dark', 1_440],
  ['light', 360],
] as const

/** Colours and widths in which a page is looked at; a long run takes every pair. */
export const looks = isLongRun ? [...mostUnlike, ...between] : mostUnlike

type Visit = Look & {
  /** The key that an earlier sign-in of the tab has stored; the root key by default, false for none. */
  key?: string | false
}

/**
 * A service and a browser for the tests of one file. Each page is a tab of its own, with its own `sessionStorage`, and is closed
 * after its test. The tabs share one context: a new one for each page loads the hundred modules of the console again, which
 * took half of the time of these tests. The context closes before the service: the browser opens connections ahead, and the
 * service would wait for them.
 */
export function createConsoleSetup(options: Parameters<typeof startTestApp>[0] = {}) {
  let started: TestApp | undefined
  let context: BrowserContext | undefined

  beforeAll(async () => {
    const [app, browser] = await Promise.all([startTestApp(options), launchOnce()])
    started = app
    context = await browser?.newContext({ baseURL: app.url })
    context?.setDefaultTimeout(25_000)
    // The first page waits until the browser has started, which takes half a minute on a busy machine.
    context?.setDefaultNavigationTimeout(60_000)
  })
  afterEach(async () => {
    await Promise.all((context?.pages() ?? []).map((page) => page.close()))
  })
  afterAll(async () => {
    await context?.close()
    await started?.close()
  })

  return {
    get app(): TestApp {
      if (!started) throw new Error('the service is not started')
      return started
    },
    async open(
      path: string,
      { colorScheme = 'light', width = 1_280, height = 900, key = rootKey }: Visit = {},
    ) {
      if (!context) throw new Error('chromium is not installed')
      const page = await context.newPage()
      await Promise.all([page.setViewportSize({ width, height }), page.emulateMedia({ colorScheme })])
      if (key !== false)
        await page.addInitScript((secret) => sessionStorage.setItem('membrane.key', secret), key)
      await page.goto(path)
      return page
    },
  }
}

let launched: Promise<Browser> | undefined

/** One browser for all files of a worker, which ends it when it exits. */
async function launchOnce(): Promise<Browser | undefined> {
  if (executablePath === undefined) return undefined
  launched ??= chromium.launch({ executablePath, args: flags })
  return launched
}

/** Collects what a page must never have: errors of scripts, and what the policy of the page refused. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    // The browser reports every answer of 400 and above here, also those that the page expects.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text())
  })
  return errors
}

/** Returns each violation of WCAG 2.2 AA with the elements that break it. */
export async function findAccessProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({ runOnly: tags })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
  })
}

/** How much of what a page shows has jumped since it was opened; 0 for nothing. */
export async function measureLayoutShift(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) sum += value
    }).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(sum), 200)
  })`)
}
