import { expect, it, onTestFinished } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { startTestApp } from '../support/test-app.ts'
import { createValidStore } from './create-valid-store.ts'

it('an import keeps the laws of the store that was exported', async () => {
  const source = await createValidStore()
  const target = await startTestApp()
  onTestFinished(async () => {
    await source.close()
    await target.close()
  })
  target.clock.advance(source.clock.now().getTime() - target.clock.now().getTime())
  const { text, records } = await exportLines(source, '?include_forgotten=true&embeddings=true')
  expect((await importLines(target, text)).summary).toMatchObject({ created: records.length, invalid: 0 })
  expect(await listBrokenLaws(target)).toEqual([])
})
