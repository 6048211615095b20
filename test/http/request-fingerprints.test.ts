import { createHash } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { formatCanonicalJson } from '../../src/kernel/canonical-json.ts'
import { say } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a-key-for-the-tests-of-erasure' } })
afterAll(() => app.close())

const path = '/v1/records/batch'
const body = { records: [say('F32'), say('Ghent')] }
const guess = createHash('sha256')
  .update(`POST ${path}\n${formatCanonicalJson(body)}`)
  .digest('base64url')

const send = (key: string, sent: object = body) =>
  app.request('POST', path, { body: sent, headers: { 'idempotency-key': key } })
const readFingerprint = async (key: string) =>
  app.db
    .selectFrom('idempotency_keys')
    .where('key', '=', key)
    .select('fingerprint')
    .executeTakeFirstOrThrow()
    .then(({ fingerprint }) => fingerprint)

it('the stored digest of a request confirms no guess of a text that was erased', async () => {
  const { body: created } = await send('a')
  const [{ record }] = (created as { results: [{ record: { id: string } }] }).results
  await app.request('POST', `/v1/records/${record.id}/erase`, {
    body: { actor: 'desk', rationale: 'asked for' },
  })
  const fingerprint = await readFingerprint('a')
  expect(fingerprint).toMatch(/^[\w-]{43}$/)
  expect(fingerprint).not.toBe(guess)
  const again = await send('a')
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body).toMatchObject({ results: [{ status: 410 }, { status: 201 }] })
})

it('an answer that an earlier version stored is replayed to the same request alone', async () => {
  await send('b')
  await app.db.updateTable('idempotency_keys').where('key', '=', 'b').set('fingerprint', guess).execute()
  const again = await send('b')
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  const other = await send('b', { records: body.records.slice(1) })
  expect(other.body).toMatchObject({ code: 'idempotency_key_reused' })
})
