import { describe, expect, it } from 'vitest'
import { readWorthParts } from '../../../src/domain/worth/worth-parts.ts'

describe('the worth of a text in another language', () => {
  it.each([
    ['Im Oktober fahre ich nach Porto, wir haben es beschlossen.', ['times', 'first_person', 'decision']],
    ['Ich vertrage keine Haselnüsse.', ['first_person', 'preference']],
    ['Nous avons décidé de partir jeudi, je déteste la pluie.', ['times', 'decision', 'preference']],
    ['Ya no voy los martes, me encanta nadar.', ['times', 'preference', 'correction']],
    ['我对海鲜过敏，八月二十二日去医院。', ['times', 'figures', 'first_person', 'preference']],
    ['練習は木曜日に変わりました。', ['times', 'correction']],
    ['복숭아 알레르기가 있어요, 일요일에 결정했어요.', ['times', 'preference', 'decision']],
  ] as const)('has the parts of %s', (text, parts) => {
    const values = readWorthParts({ text, role: 'user' })
    for (const part of parts) expect(`${part} ${values[part] > 0}`).toBe(`${part} true`)
  })

  it.each(['Guten Morgen zusammen', '你好，很高兴认识你。', 'わかりました。', 'The mayor is nice.'])(
    'has no time and no preference of %s',
    (text) => {
      const { times, figures, preference, correction } = readWorthParts({ text, role: 'user' })
      expect([times, figures, preference, correction]).toEqual([0, 0, 0, 0])
    },
  )

  it.each([
    'Guten Morgen zusammen!',
    '¡Buenos días a todos!',
    'Merci beaucoup !',
    'おはようございます',
    '谢谢你',
    'Спасибо!',
  ])('is that of a greeting: %s', (text) => {
    expect(readWorthParts({ text, role: 'user' }).greeting).toBe(1)
  })

  it.each([
    'Die Heizung fiel aus, weil die Pumpe rostete.',
    '暖气坏了，因为水泵生锈。',
    'Отопление сломалось из-за ржавчины.',
  ])('counts the outcome that it names: %s', (text) => {
    expect(readWorthParts({ text, role: 'user' }).outcome).toBeGreaterThan(0)
  })
})
