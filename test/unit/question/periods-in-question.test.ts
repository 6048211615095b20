import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeRanges, type Range } from '../../../src/retrieval/question/periods/periods.ts'
import { readPeriods } from '../../../src/retrieval/question/periods/periods-in-question.ts'
import { includesDay, numberDays, toDayNumber } from '../../../src/retrieval/text/memory/day-numbers.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

/** A Wednesday. */
const at = new Date('2025-06-18T10:00:00Z')
const isOf = (text: string, day: string) => readPeriods(text, at)?.includes(new Date(`${day}T12:00:00Z`))

describe('the time that a question names', () => {
  it.each([
    ['What did we decide on 7 May 2023?', '2023-05-07', '2023-05-08'],
    ['What did we decide on May 7th, 2023?', '2023-05-07', '2022-05-07'],
    ['What did we decide on the 7th of May?', '2024-05-07', '2024-05-17'],
    ['What happened on 2023-05-07?', '2023-05-07', '2023-05-06'],
    ['What happened on 2023/05/07?', '2023-05-07', '2023-05-06'],
    ['What happened on 2023.5.7?', '2023-05-07', '2023-05-06'],
    ['What happened at 2023-05-07T09:30:00.000Z?', '2023-05-07', '2023-05-06'],
    ['What happened on 07.05.2023?', '2023-05-07', '2023-07-05'],
    ['What happened on 5/17/2023?', '2023-05-17', '2023-05-16'],
    ['What happened on 17/05/2023?', '2023-05-17', '2023-05-16'],
    ['What happened on 7/5/2023?', '2023-05-07', '2023-05-06'],
    ['What happened on 7/5/2023?', '2023-07-05', '2023-07-06'],
    ['Where did she work in 2023/05?', '2023-05-31', '2023-06-01'],
    ['我在2023年5月7日吃了什么?', '2023-05-07', '2023-05-06'],
    ['5月7日は何を食べましたか', '2024-05-07', '2024-05-06'],
    ['2023년 5월에 무엇을 샀나요?', '2023-05-31', '2023-06-01'],
    ['Where did she work in 2023-05?', '2023-05-31', '2023-06-01'],
    ['Where did she work in May 2023?', '2023-05-31', '2022-05-31'],
    ['Where did she go last August?', '2024-08-02', '2024-07-31'],
    ['Where did she go in mid-July?', '2024-07-15', '2024-08-15'],
    ['Where did she go in 2022?', '2022-12-31', '2023-01-01'],
    ['What broke yesterday?', '2025-06-17', '2025-06-18'],
    ['What broke the day before yesterday?', '2025-06-16', '2025-06-17'],
    ['What broke this morning?', '2025-06-18', '2025-06-17'],
    ['What broke last night?', '2025-06-17', '2025-06-18'],
    ['What broke last weekend?', '2025-06-15', '2025-06-16'],
    ['What did we decide on Friday?', '2025-06-13', '2025-06-12'],
    ['What broke a couple of days ago?', '2025-06-15', '2025-06-14'],
    ['What broke a few weeks ago?', '2025-05-20', '2025-06-09'],
    ['What broke last week?', '2025-06-09', '2025-06-16'],
    ['What broke last month?', '2025-05-31', '2025-06-01'],
    ['What did we spend last year?', '2024-01-01', '2025-01-01'],
    ['What happened in spring 2025?', '2025-05-31', '2025-06-01'],
    ['What happened last winter?', '2025-02-28', '2024-11-30'],
    ['What happened in the summer?', '2024-08-31', '2024-09-01'],
    ['What did we spend in Q1 2025?', '2025-03-31', '2025-04-01'],
    ['What did we spend in the second quarter of 2024?', '2024-04-01', '2024-07-01'],
    ['What broke two weeks ago?', '2025-06-02', '2025-06-09'],
    ['What broke in the past few weeks?', '2025-05-20', '2025-05-01'],
    ['What broke in the past week?', '2025-06-12', '2025-06-10'],
    ['What did we decide on May 3-5, 2025?', '2025-05-04', '2025-05-06'],
    ['What did we decide on 3–5 May?', '2024-05-05', '2024-05-02'],
    ['What did we spend in H1 2025?', '2025-06-30', '2025-07-01'],
    ['What did we spend in the second half of 2024?', '2024-12-31', '2024-06-30'],
    ['What broke in the last three days?', '2025-06-16', '2025-06-14'],
    ['What broke last Friday?', '2025-06-13', '2025-06-17'],
    ['October', '2024-10-31', '2024-11-01'],
    ['What broke in May or in June 2024?', '2024-06-02', '2024-07-02'],
    ['Where did she go in mid-May?', '2025-05-15', '2025-06-15'],
    ['What did we decide before May?', '2025-04-30', '2025-05-01'],
    ['What did we decide before March 2027?', '2025-06-17', '2027-03-01'],
    ['What did we decide until May?', '2025-05-31', '2025-06-01'],
    ['What did we decide since May?', '2025-06-17', '2025-04-30'],
    ['What did we decide since last Friday?', '2025-06-17', '2025-06-12'],
    ['What did we decide since Monday?', '2025-06-17', '2025-06-15'],
    ['What did we decide after 7 May?', '2025-05-08', '2025-05-07'],
    ['What did we decide after October?', '2024-11-01', '2024-10-31'],
    ['What did we decide from March on?', '2025-06-17', '2025-02-28'],
    ['What did we decide between March and May?', '2025-04-15', '2025-06-01'],
    ['What did we decide from November 2023 to February 2024?', '2024-01-01', '2024-03-01'],
    ['What did she do the week before 7 May 2025?', '2025-05-07', '2025-04-01'],
  ])('%s', (question, inside, outside) => {
    expect([isOf(question, inside), isOf(question, outside)]).toEqual([true, false])
  })

  it.each([
    ['Was habe ich gestern gegessen?', '2025-06-17', '2025-06-18'],
    ['Was war letzte Woche kaputt?', '2025-06-09', '2025-06-16'],
    ['Was war vor 3 Wochen?', '2025-05-26', '2025-06-02'],
    ['Was war am 7. August 2024?', '2024-08-07', '2024-08-08'],
    ['Was war im März?', '2025-03-31', '2025-04-01'],
    ["Qu'est-ce que j'ai mangé hier ?", '2025-06-17', '2025-06-18'],
    ['Qui a appelé le 1er août 2024 ?', '2024-08-01', '2024-08-02'],
    ['Qui a appelé la semaine dernière ?', '2025-06-09', '2025-06-16'],
    ['Qui a appelé il y a 2 jours ?', '2025-06-16', '2025-06-17'],
    ['¿Qué comí ayer?', '2025-06-17', '2025-06-18'],
    ['¿Qué comí el 7 de mayo de 2024?', '2024-05-07', '2024-05-08'],
    ['¿Qué comí hace una semana?', '2025-06-09', '2025-06-16'],
    ['我昨天吃了什么?', '2025-06-17', '2025-06-18'],
    ['我们上周讨论了什么?', '2025-06-09', '2025-06-16'],
    ['三天前发生了什么?', '2025-06-15', '2025-06-16'],
    ['一昨日は何を食べましたか', '2025-06-16', '2025-06-17'],
    ['先月は何を買いましたか', '2025-05-31', '2025-06-01'],
    ['어제 무엇을 먹었나요?', '2025-06-17', '2025-06-18'],
    ['지난주에 무엇을 샀나요?', '2025-06-09', '2025-06-16'],
  ])('in another language: %s', (question, inside, outside) => {
    expect([isOf(question, inside), isOf(question, outside)]).toEqual([true, false])
  })

  it('may be hours or minutes ago', () => {
    const isAt = (text: string, time: string) =>
      readPeriods(text, at)?.includes(new Date(`2025-06-18T${time}Z`))
    expect(isAt('What broke in the last hour?', '09:30:00')).toBe(true)
    expect(isAt('What broke in the last hour?', '08:30:00')).toBe(false)
    expect(isAt('What broke in the past 30 minutes?', '09:29:00')).toBe(false)
    expect(isAt('What broke three hours ago?', '07:00:00')).toBe(true)
    expect(isAt('What broke three hours ago?', '09:00:01')).toBe(false)
  })

  it.each([
    'Was ist hier passiert?',
    'Who crosses the bar on 3-5?',
    'May I march with you?',
    'Which port is 2023x using?',
    'Where do we meet?',
    'Is room 7 free?',
    'Who won the season 2021-22?',
    'Who won on 13/13/2022?',
    'What is 24/7 support?',
    'Do we meet on Friday?',
  ])('is not read from: %s', (question) => {
    expect(readPeriods(question, at)).toBeUndefined()
  })

  it.each([
    ['What was discussed in May?', true],
    ['july', true],
    ['What did we decide last week?', true],
    ['What did we decide before July?', true],
    ['What did Anna decide since May?', false],
    ['What did Anna do in May?', false],
    ['Which database did we choose in May?', false],
  ])('is all that is asked: %s', (question, isAll) => {
    expect(readPeriods(question, at)?.isAll).toBe(isAll)
  })

  it('is read once, however often it is named, and from no list of dates', () => {
    const oneYear = { from: Date.parse('2024-01-01'), until: Date.parse('2025-01-01') }
    expect(readPeriods('in May 2024, in 2024, on 7 May 2024 or in June 2024', at)?.ranges).toEqual([oneYear])
    expect(readPeriods(`orion ${'1 may '.repeat(10)}`, at)?.ranges).toHaveLength(30)
    expect(readPeriods(`orion ${'1 may '.repeat(11)}`, at)).toBeUndefined()
  })

  it('has ranges apart from each other, the newest first, which include what any of them includes', () => {
    const instant = fc.integer({ min: 0, max: 60 })
    const range = fc.tuple(instant, instant).map(([from, length]) => ({ from, until: from + length }))
    fc.assert(
      fc.property(fc.array(range), instant, (ranges, time) => {
        const merged = mergeRanges(ranges)
        const isIn = ({ from, until }: Range) => time >= from && time < until
        expect(merged.some(isIn)).toBe(ranges.some(isIn))
        for (const [index, { from }] of merged.slice(0, -1).entries())
          expect(merged[index + 1]?.until).toBeLessThan(from)
      }),
    )
  })

  it('compares a day with many ranges', () => {
    const days = numberDays([
      ['2025-06-01', '2025-06-30'],
      ['2025-01-31', '2025-02-02'],
      ['2024-05-01', '2024-05-01'],
    ])
    const isOfOne = (day: string) => includesDay(days, toDayNumber(day))
    expect(['2025-06-30', '2025-06-01', '2025-02-01', '2024-05-01'].map(isOfOne)).not.toContain(false)
    expect(['2025-07-01', '2025-03-01', '2024-05-02', '2024-04-30', 'no day'].map(isOfOne)).not.toContain(
      true,
    )
  })

  it('is found in no long document, and in any text without an error', () => {
    expect(readPeriods(`in May 2023 ${'word '.repeat(300)}`, at)).toBeUndefined()
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => void readPeriods(text, at)?.includes(at)),
    )
  })
})
