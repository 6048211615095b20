import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import { type Body, fact } from '../../support/requests/record-requests.ts'

const at = (second: number) => ({ at: new Date(Date.UTC(2026, 0, 1, 9, 0, second)).toISOString() })

describeInBrowser('conversations in the console', () => {
  const setup = createConsoleSetup()
  const { append } = createConversationRequests(() => setup.app)
  const odd = 'a/b?c#d %20 "é"'

  beforeAll(async () => {
    const long = Array.from({ length: 60 }, (_, index) => say(`m${index}`, `Line ${index}`, at(index)))
    await append('long', long)
    const { body } = await append(
      encodeURIComponent(odd),
      [
        say('1', 'Where does billing run?', { name: 'Ana', ...at(1) }),
        say('2', '<b>In</b> eu-west-1', { role: 'assistant', ...at(3) }),
        say('3', 'متى يبدأ النقل؟', at(4)),
      ],
      { scope: 'team-a' },
    )
    await append(encodeURIComponent(odd), [say('4', 'The code is 4711', at(2))], {
      scope: 'team-a',
      sensitivity: 'medium',
    })
    const derived = {
      ...fact({ id: '0197b9a0-0000-7000-8000-00000000000a', scope: 'team-a' }),
      payload: { kind: 'semantic', subject: 'billing', predicate: 'runs_in', object: 'eu-west-1' },
      relations: [{ predicate: 'derived_from', target_id: (body as Body).items[1].record_id }],
      descent: [{ source_id: (body as Body).items[1].record_id, kind: 'consolidation', is_ground: true }],
    }
    const headers = { 'content-type': 'application/x-ndjson' }
    await setup.app.request('POST', '/v1/import', { body: JSON.stringify(derived), headers })
  })

  it('are read in order, with what was made of each message', async () => {
    const page = await setup.open('/console/conversations')
    const errors = watchErrors(page)
    await page.getByRole('link', { name: odd }).waitFor()
    const names = await page.getByRole('row').getByRole('link').allTextContents()
    expect(names).toEqual([odd, 'long'])
    await page.getByRole('link', { name: odd }).click()
    const messages = page.locator('.message')
    await page.getByText('The code is 4711').waitFor()
    const texts = await messages.locator('p.content').allTextContents()
    expect(texts).toEqual([
      'Where does billing run?',
      'The code is 4711',
      '<b>In</b> eu-west-1',
      'متى يبدأ النقل؟',
    ])
    const made = messages.nth(2).getByRole('list', { name: 'Made of it' })
    await made.getByRole('link', { name: 'billing runs in eu-west-1' }).click()
    await page.waitForURL(/\/console\/records\/0197b9a0-0000-7000-8000-00000000000a$/)
    expect(errors).toEqual([])
  })

  it('hide from a key what it may not read', async () => {
    const key = await setup.app.issueKey(['records:read'], { scopes: ['team-a'] })
    const page = await setup.open(`/console/conversations/${encodeURIComponent(odd)}?in=team-a`, { key })
    await page.getByText('Where does billing run?').waitFor()
    expect(await page.getByText('may know of this message, but not read it').count()).toBe(1)
    expect(await page.content()).not.toContain('4711')

    const other = await setup.app.issueKey(['records:read'], { scopes: ['team-b'] })
    const stranger = await setup.open(`/console/conversations/${encodeURIComponent(odd)}?in=team-a`, {
      key: other,
    })
    await stranger.getByRole('alert').filter({ hasText: 'Try again' }).waitFor()
  })

  it('have pages, and the way back is that of the browser', async () => {
    const page = await setup.open('/console/conversations/long')
    await page.getByText('Line 49', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Line 50', { exact: true }).waitFor()
    expect(await page.getByText('Line 49', { exact: true }).count()).toBe(0)
    await page.goBack()
    await page.getByText('Line 0', { exact: true }).waitFor()
  })

  it('say what to do where there are none', async () => {
    const page = await setup.open('/console/conversations?scope=nowhere')
    await page.getByText('No conversations in this scope').waitFor()
  })

  it.each(looks)('have no access problem in %s on %i pixels', async (colorScheme, width) => {
    for (const path of [
      '/console/conversations',
      `/console/conversations/${encodeURIComponent(odd)}?in=team-a`,
    ]) {
      const page = await setup.open(path, { colorScheme, width })
      await page.getByText(odd).first().waitFor()
      expect(await findAccessProblems(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  })

  it('show the tools that a message calls, and their results, on request', async () => {
    const call = { type: 'tool_use', id: 'c', name: 'psql', input: { sql: 'select 1' } }
    const result = { type: 'tool_result', tool_use_id: 'c', content: '4711 rows' }
    await append('tools', [
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ])
    const page = await setup.open('/console/conversations/tools')
    await page.getByText('Calls psql').click()
    await page.getByText('"sql": "select 1"').waitFor()
    await page.getByText('Result of psql').click()
    await page.getByText('4711 rows').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
  })
})
