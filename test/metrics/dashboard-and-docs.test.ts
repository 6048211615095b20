import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePrometheusText } from '../support/http/prometheus-text.ts'
import { startTestApp } from '../support/test-app.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

type Target = { expr: string; refId: string; datasource: { uid: string } }
type Panel = { id: number; type: string; title: string; gridPos: Record<string, number>; targets?: Target[] }
type Dashboard = { title: string; uid: string; panels: Panel[]; templating: { list: { name: string }[] } }

const dashboard: Dashboard = JSON.parse(read('docs/grafana.json'))
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets)

/** The names of all series that a process of the product exports. */
let names: Set<string>
const api = await startTestApp()
beforeAll(async () => {
  const { instruments, storeReading } = api.services
  instruments.watchProcess()
  instruments.watchPool(api.database.pool, 'requests')
  instruments.watchReplicas({ describe: () => [] })
  instruments.watchServers({ describe: () => [] })
  storeReading.watchQueue(async () => ({ waiting: 0 }))
  const { types } = parsePrometheusText(`${await instruments.render()}\n${await storeReading.render()}`)
  names = new Set(
    Object.entries(types).flatMap(([name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => `${name}${suffix}`) : [name],
    ),
  )
})
afterAll(() => api.close())

const namesIn = (text: string) => text.match(/\b(?:membrane|process|nodejs)_[a-z0-9_]+[a-z0-9]\b/g) ?? []

describe('the Grafana dashboard', () => {
  it('queries only existing series', () => {
    const queriedNames = expressions.flatMap(({ expr }) => namesIn(expr))
    expect(queriedNames.length).toBeGreaterThan(30)
    expect(queriedNames.filter((name) => !names.has(name))).toEqual([])
  })

  it('shows every series of the product', () => {
    const shown = new Set(expressions.flatMap(({ expr }) => namesIn(expr)))
    const whole = [...names].filter(
      (name) => name.startsWith('membrane_') && !/_(?:sum|bucket|count)$/.test(name),
    )
    expect(whole.length).toBeGreaterThan(15)
    expect(whole.filter((name) => !shown.has(name))).toEqual([])
  })

  it('can be imported: panels have unique ids and positions and use the selected data source', () => {
    expect(dashboard).toMatchObject({ title: 'Membrane', uid: 'membrane' })
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'scrape'])
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
    for (const { expr, datasource } of expressions) {
      expect(datasource.uid).toMatch(/^\$\{datasource\}$/)
      expect(expr.match(/\(/g)?.length).toBe(expr.match(/\)/g)?.length)
    }
  })
})

describe('docs/observability.md', () => {
  const page = read('docs/observability.md')

  it('names exactly the series of the product', () => {
    const named = new Set(namesIn(page).filter((name) => name.startsWith('membrane_')))
    const families = new Set([...names].map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
    const ours = [...families].filter((name) => name.startsWith('membrane_'))
    expect(ours.filter((name) => !named.has(name))).toEqual([])
    expect([...named].filter((name) => name !== 'membrane_store' && !families.has(name))).toEqual([])
  })
})
