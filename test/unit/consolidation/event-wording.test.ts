import { describe, expect, it } from 'vitest'
import { saysWhatHappened, saysWhatItIsAbout } from '../../../src/consolidation/event-wording.ts'
import { saysOnlyFact } from '../../../src/domain/payloads/generated-summary.ts'

describe('the summary of a successful event', () => {
  it.each([
    ['Deployed shop-api 2.3 to eu-west-1.', true],
    ['The disk was full, so the deploy waited for ten minutes.', true],
    ['If the cache is cold, warm it up first.', true],
    ['Asked Bo whether the cache is warm.', true],
    ['Checked if it would start without the cache: it does.', true],
    ['Could not reproduce the bug, so I asked Bo if it is still there.', true],
    ['Supposedly flaky test fixed.', true],
    ['Bo asked: "Is it warm?" and we said yes.', true],
    ['Ok, the release is out in Frankfurt.', true],
    ['部署到了法兰克福。', true],
    ['Der Zug fährt um 8 Uhr.', true],
    ['Deploy: api, outcome success.', true],
    ['Would the deploy work without the migration?', false],
    ['部署成功了吗？', false],
    ['He said: "Did it work?"', false],
    ['If I lived in Paris, I would eat croissants every day.', false],
    ['We could skip the migration if the table were empty.', false],
    ['What if we skipped the migration', false],
    ['Imagine the whole region is down.', false],
    ['Just kidding, I am the king of Spain!', false],
    ['ok', false],
    ['Done.', false],
    ['Thanks!', false],
    ['Tool output with bash, outcome success.', false],
    ['<secret string>', false],
    ['…', false],
  ])('is a fact only where it says what happened: %s', (summary, isFact) => {
    expect(saysWhatHappened(summary)).toBe(isFact)
  })

  it.each([
    ['Can you deploy 2.8?', true],
    ['Looked up the refund policy.', true],
    ['ok', false],
    ['Tool output with bash, outcome success.', false],
  ])('shows when a skill fits unless it says nothing: %s', (summary, isSignal) => {
    expect(saysWhatItIsAbout(summary)).toBe(isSignal)
  })

  it.each([
    ['Observation: billing is owned by team red.', true],
    ['Event: billing is owned by team red, outcome success.', true],
    ['Observation: billing is owned by team red since May.', false],
    ['billing is owned by team red', false],
    ['Asked who owns billing.', false],
  ])('repeats the fact of its capture only if it says nothing else: %s', (summary, isRepeated) => {
    const fact = { subject: 'billing', predicate: 'is owned by', object: 'team red' }
    expect(saysOnlyFact(summary, fact)).toBe(isRepeated)
  })
})
