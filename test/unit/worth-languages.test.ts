import { describe, expect, it } from 'vitest'
import { readWorthParts } from '../../src/domain/worth/worth-parts.ts'

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

  // All words of another language were rare once, so its small talk pushed English facts out of a budget.
  it.each([
    ['Das sehe ich ja auch so wie du.', 'I know Joaquin.'],
    ['Oui, je le vois de la même façon.', 'Paul lives near Leith.'],
    ['是的，我也这么看。', '汉森医生诊所。'],
    ['네, 저도 그래요.', '한센 선생님 치과.'],
    ['Да, я тоже так это вижу.', 'Доктор Хансен переехал.'],
  ])('has less information in “%s” than in “%s”', (talk, fact) => {
    const [less, more] = [talk, fact].map((text) => readWorthParts({ text, role: 'user' }).information)
    expect(less).toBeLessThan(more ?? 0)
  })

  it.each([
    'Guten Morgen zusammen!',
    '¡Buenos días a todos!',
    'Merci beaucoup !',
    'おはようございます',
    '谢谢你',
    'Спасибо!',
  ])('is a greeting: %s', (text) => {
    expect(readWorthParts({ text, role: 'user' }).greeting).toBe(1)
  })

  it.each([
    'Die Heizung fiel aus, weil die Pumpe rostete.',
    '暖气坏了，因为水泵生锈。',
    'Отопление сломалось из-за ржавчины.',
  ])('has an outcome: %s', (text) => {
    expect(readWorthParts({ text, role: 'user' }).outcome).toBeGreaterThan(0)
  })
})
