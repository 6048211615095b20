import { describe, expect, it } from 'vitest'
import { differsInDetail } from '../../../src/domain/importance/changed-detail.ts'

describe('differsInDetail', () => {
  it.each([
    ['a figure', "Anna's number is 555-1234", "Anna's number is 555-9876"],
    ['an amount', 'The rent is 940.50 euros', 'The rent is 990.50 euros'],
    ['a number in words', 'The table is for two', 'The table is for seven'],
    ['a day', 'The meeting is on Tuesday at 3 pm', 'The meeting is on Wednesday at 3 pm'],
    ['a month', 'The course begins in march', 'The course begins in june'],
    ['a name', 'Anna lives in Leith', 'Anna lives in Glasgow'],
    ['a name at the beginning', 'Anna lives in Leith', 'Tom lives in Leith'],
    ['a negation', 'The deploy may run on Fridays', 'The deploy must not run on Fridays'],
    ['a short negation', 'User likes coffee', "User doesn't like coffee"],
    ['a negation in German', 'Anna isst Fleisch', 'Anna isst kein Fleisch'],
    ['a negation in Chinese', '我喜欢咖啡', '我不喜欢咖啡'],
    ['a day in Chinese', '会议在星期二', '会议在星期三'],
    ['a time that only one has', 'User plays tennis', 'User plays tennis on Tuesdays'],
  ])('is true of %s', (_, one, other) => {
    expect([differsInDetail(one, other), differsInDetail(other, one)]).toEqual([true, true])
  })

  it.each([
    ['the same text', 'User plays tennis on Tuesdays', 'User plays tennis on Tuesdays.'],
    ['other capitals', 'User is allergic to peanuts', 'user is allergic to Peanuts'],
    ['words that add nothing', 'Anna lives in Leith', 'Anna lives in Leith, she said'],
    ['another apostrophe', "Anna doesn't eat meat", 'Anna doesn’t eat meat'],
    ['a common word at the beginning', 'So the rent is 940 euros', 'The rent is 940 euros'],
    [
      'quite other words',
      'On 3 May we fly to Oslo with Lena and Paul',
      'The printer of floor 2 needs a toner of another brand soon',
    ],
    ['no words', '', '...'],
  ])('is false of %s', (_, one, other) => {
    expect([differsInDetail(one, other), differsInDetail(other, one)]).toEqual([false, false])
  })

  it('reads long texts fast', () => {
    const started = performance.now()
    for (const part of ['a', '1.', "x'", '不', '- ']) differsInDetail(part.repeat(100_000), 'a 1')
    expect(performance.now() - started).toBeLessThan(500)
  })
})
