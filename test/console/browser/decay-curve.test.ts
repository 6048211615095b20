import { expect, it } from 'vitest'
import { createConsoleSetup, describeInBrowser } from '../../support/browser.ts'
import { fact, storeRecord } from '../../support/requests/console-requests.ts'

const day = 86_400_000

/** Remembers where texts are written in pictures, as shares of their width; the last text of a kind counts. */
const watchTexts = `(() => {
  globalThis.texts = {}
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (text, x, ...rest) {
    globalThis.texts[text] = x / this.canvas.width
    return fillText.call(this, text, x, ...rest)
  }
})()`

describeInBrowser('the decay curve', () => {
  const setup = createConsoleSetup()

  /** Where the curve ends its past, from 0 at the left to 1 at the right. */
  async function locateNow(id: string): Promise<number> {
    const page = await setup.open('/console/records')
    await page.evaluate(watchTexts)
    await page.locator(`a[href$="${id}"]`).click()
    await page.getByRole('img', { name: 'Decay curve' }).waitFor()
    await page.waitForFunction('texts.now !== undefined')
    return page.evaluate<number>('texts.now')
  }

  it('begins with the record where no reinforcement is drawn', async () => {
    const pinned = await storeRecord(
      setup.app,
      fact('Ana', 'lives in', 'Bergen', { lifecycle: { pinned: true } }),
    )
    expect(await locateNow(pinned)).toBeLessThan(0.2)

    const superseded = await storeRecord(setup.app, fact('Ben', 'lives in', 'Bergen'))
    const evidence = [{ source_type: 'observation', source_id: 'm1', timestamp: '2026-01-01T00:00:00.000Z' }]
    const replacement = fact('Ben', 'lives in', 'Oslo')
    const { status, text } = await setup.app.request('POST', `/v1/records/${superseded}/supersede`, {
      body: {
        actor: 'a',
        rationale: 'he moved',
        record: { ...replacement, payload: { ...replacement.payload, evidence } },
      },
    })
    expect(status, text).toBe(201)
    expect(await locateNow(superseded)).toBeLessThan(0.2)
  })

  it('begins when the record was stored, although what it tells is older', async () => {
    const id = await storeRecord(
      setup.app,
      fact('Mira', 'lives in', 'Bergen', {
        created_at: new Date(setup.app.clock.now().getTime() - 60 * day).toISOString(),
        lifecycle: { decay: { half_life_seconds: 86_400 } },
        salience: 0.5,
      }),
    )
    const { status, text } = await setup.app.request('POST', `/v1/records/${id}/reinforce`, {
      body: { actor: 'a', rationale: 'r' },
    })
    expect(status, text).toBe(200)
    expect(await locateNow(id)).toBeLessThan(0.2)
  })
})
