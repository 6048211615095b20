import { afterAll, expect, it } from 'vitest'
import { importFile } from '../../support/files/foreign-files.ts'
import { type Body, read } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

async function importNote(scope: string, body: string) {
  const { reports } = await importFile(app, body, { query: `?format=basic-memory&scope=${scope}` })
  const records = await Promise.all(reports.map(({ id }) => read(app, id)))
  return records.map(({ payload }) => payload.object).filter((text) => text !== undefined)
}

const guide = `---
title: CLAUDE
---
# claude

Read this first.

## Always
- Run the tests.

### In the web folder
Use pnpm, not npm.

## Never
- Push to main.

## Always
- Write in English.
`

it('stores a text for each section, with the headings above it and without the title', async () => {
  expect(await importNote('guide', guide)).toEqual([
    'Read this first.',
    'Always\n- Run the tests.',
    'Always / In the web folder\nUse pnpm, not npm.',
    'Never\n- Push to main.',
    'Always\n- Write in English.',
  ])
})

it('answers a question from the section that is about it', async () => {
  const body = {
    task_descriptor: 'Which package manager in the web folder?',
    scopes: ['guide'],
    max_tokens: 120,
  }
  const { items } = (await app.request('POST', '/v1/context', { body })).body as Body
  const first = await read(app, items[0].record_id)
  expect(first.payload.object).toContain('Use pnpm')
})

it('reports only the section that was changed as a conflict', async () => {
  const changed = guide.replace('Push to main.', 'Push to a branch of others.')
  const { reports } = await importFile(app, changed, { query: '?format=basic-memory&scope=guide' })
  const statuses = reports.map(({ status }) => status)
  expect(statuses).toEqual(['unchanged', 'unchanged', 'unchanged', 'unchanged', 'conflict', 'unchanged'])
})

it('reads nothing in a block of code', async () => {
  const code = '```bash\n# install\nif [[ -f x ]]; then\n- [a] b\n\nfi\n```'
  expect(await importNote('code', `## Setup\n${code}\n## Then\nStart it with \`\`\`x\`\`\`.`)).toEqual([
    `Setup\n${code}`,
    'Then\nStart it with ```x```.',
  ])
})

it('divides a long section between its paragraphs', async () => {
  const paragraphs = ['a', 'b', 'c'].map((letter) => `${letter} `.repeat(600).trim())
  expect(await importNote('long', `## Part\n${paragraphs.join('\n\n')}`)).toEqual(
    paragraphs.map((text) => `Part\n${text}`),
  )
})
