import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createFairSlots } from '../../src/jobs/queue/fair-slots.ts'

/** Slots whose tasks end when the test says so. */
function openSlots({ slots = 1, sliceMs = 60_000 } = {}) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const errors: unknown[] = []
  const fair = createFairSlots({ slots, sliceMs, onError: (_, error) => void errors.push(error) })
  const waiting = new Map<string, () => void>()
  const submit = (tenant: string, name: string) =>
    fair.submit({
      tenant,
      name,
      work: (signal) => {
        started.push(`${tenant} ${name}`)
        waiting.get(`${tenant} ${name}`)?.()
        return new Promise<void>((end) => {
          ends.set(`${tenant} ${name}`, end)
          signal.addEventListener('abort', () => end())
        })
      },
    })
  const finish = async (name: string) => {
    ends.get(name)?.()
    await sleep(0)
  }
  /** Resolves at once when the task starts: whoever looks every 50 ms may see a later slice. */
  const untilStarted = (name: string) => new Promise<void>((resolve) => void waiting.set(name, resolve))
  return { fair, started, errors, submit, finish, untilStarted }
}

describe('fair slots', () => {
  it('serve another tenant before the second task of the first', async () => {
    const { started, submit, finish } = openSlots()
    for (const name of ['decay', 'dream', 'purge']) submit('large', name)
    submit('small', 'decay')
    await finish('large decay')
    await finish('small decay')
    expect(started).toEqual(['large decay', 'small decay', 'large dream'])
  })

  it('leave half of the slots to others', () => {
    const { started, submit } = openSlots({ slots: 4 })
    for (const name of ['a', 'b', 'c', 'd']) submit('large', name)
    expect(started).toEqual(['large a', 'large b'])
    submit('small', 'a')
    expect(started.at(-1)).toBe('small a')
  })

  it('stop a task whose slice is over when another tenant waits, and continue it later', async () => {
    const { started, submit, finish, untilStarted } = openSlots({ sliceMs: 30 })
    submit('large', 'decay')
    submit('small', 'decay')
    await untilStarted('small decay')
    expect(started).toEqual(['large decay', 'small decay'])
    await finish('small decay')
    expect(started).toEqual(['large decay', 'small decay', 'large decay'])
  })

  it('let a long task continue while no other task waits', async () => {
    const { started, submit } = openSlots({ sliceMs: 5 })
    submit('large', 'decay')
    submit('large', 'dream')
    await sleep(100)
    expect(started).toEqual(['large decay'])
  })

  it('do a task once, however often it is announced while it waits', async () => {
    const { started, submit, finish } = openSlots()
    submit('one', 'decay')
    for (let nth = 0; nth < 5; nth++) submit('other', 'decay')
    await finish('one decay')
    await finish('other decay')
    await sleep(5)
    expect(started).toEqual(['one decay', 'other decay'])
  })

  it('start a task again that is announced while it runs', async () => {
    const { started, submit, finish } = openSlots({ slots: 2 })
    submit('one', 'decay')
    submit('one', 'decay')
    expect(started).toEqual(['one decay'])
    await finish('one decay')
    expect(started).toEqual(['one decay', 'one decay'])
  })

  it('stop the work of one tenant and forget what waits', async () => {
    const { started, submit, fair, finish } = openSlots()
    submit('gone', 'decay')
    submit('gone', 'dream')
    submit('other', 'decay')
    fair.stopTenant('gone')
    await sleep(5)
    await finish('other decay')
    expect(started).toEqual(['gone decay', 'other decay'])
  })

  it('go on after a task that fails', async () => {
    const { started, submit, finish, fair, errors } = openSlots()
    fair.submit({ tenant: 'one', name: 'decay', work: () => Promise.reject(new Error('broken')) })
    submit('other', 'decay')
    await expect.poll(() => started).toEqual(['other decay'])
    await finish('other decay')
    expect(errors).toHaveLength(1)
  })

  it('wait for what runs when they are closed', async () => {
    const { fair, submit, started } = openSlots()
    submit('one', 'decay')
    await fair.close()
    submit('other', 'decay')
    expect(started).toEqual(['one decay'])
  })
})
