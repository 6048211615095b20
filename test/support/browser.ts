import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { isLongRun } from './long-run.ts'
import { openTcpRelay, type TcpRelay } from './servers/tcp-relay.ts'
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
 * A service for the tests of one file, and the tab of the browser that shows it: each `open` shows another page in it. A new
 * tab, and even more a new context, costs several times as much as what is shown in it.
 */
export function createConsoleSetup(options: Parameters<typeof startTestApp>[0] = {}) {
  let started: TestApp | undefined

  beforeAll(async () => {
    ;[started] = await Promise.all([startTestApp(options), openBrowserOnce()])
    relay?.lead(started.url)
  })
  afterEach(({ task }) => leaveTab(task.result?.state !== 'fail'))
  afterAll(async () => {
    // The browser opens connections ahead, for which the service would wait.
    started?.app.server.closeAllConnections()
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
      await leaveTab()
      const page = await takeTab()
      await Promise.all([page.setViewportSize({ width, height }), page.emulateMedia({ colorScheme })])
      if (key !== false) await page.evaluate((secret) => sessionStorage.setItem('membrane.key', secret), key)
      await page.goto(path)
      return page
    },
  }
}

/**
 * One address for every service of a worker: the browser keeps the hundred modules of the console by their addresses, and loads
 * them once for all files.
 */
let relay: TcpRelay | undefined
let opened: Promise<BrowserContext | undefined> | undefined

/** One browser for all files of a worker, which ends it when it exits. */
async function openBrowserOnce(): Promise<BrowserContext | undefined> {
  opened ??= openBrowser()
  return opened
}

async function openBrowser(): Promise<BrowserContext | undefined> {
  if (executablePath === undefined) return undefined
  const browser = await chromium.launch({ executablePath, args: flags })
  relay = await openTcpRelay('http://127.0.0.1')
  relay.unref()
  const baseURL = new URL(relay.url).origin
  // What moves while the page waits is drawn sixty times a second.
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce' })
  context.setDefaultTimeout(25_000)
  // The first page waits until the browser has started, which takes half a minute on a busy machine.
  context.setDefaultNavigationTimeout(60_000)
  return context
}

let tab: Page | undefined
let isTaken = false

/** An answer that runs no script, where the storage of the tab can be changed unseen. */
const restingPlace = '/livez'

async function takeTab(): Promise<Page> {
  isTaken = true
  if (tab) return tab
  const context = await openBrowserOnce()
  if (!context) throw new Error('chromium is not installed')
  tab = await context.newPage()
  await tab.goto(restingPlace)
  return tab
}

/** Takes from the tab what a page left in it. An init script would stay: tests must not add one. */
async function leaveTab(isSound = true): Promise<void> {
  if (!tab || !isTaken) return
  isTaken = false
  if (!isSound) {
    await tab.close()
    tab = undefined
    return
  }
  for (const event of ['console', 'pageerror', 'request'] as const) tab.removeAllListeners(event)
  await tab.unrouteAll({ behavior: 'ignoreErrors' })
  await tab.goto(restingPlace)
  await tab.evaluate(() => sessionStorage.clear())
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
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: tags,
      resultTypes: ['violations'],
    })
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
