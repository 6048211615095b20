import { describe, expect, it } from 'vitest'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'
import { splitRemarks } from '../../../src/retrieval/question/remarks.ts'

describe('the sentences of a task that ask', () => {
  it.each([
    ['It was a long week. Where does Ada live?', 'Where does Ada live?', 'It was a long week.'],
    ['Where does Ada live? No rush, I am on a train.', 'Where does Ada live?', 'No rush, I am on a train.'],
    ['My sister wants to know:\nwhere does Ada live?', 'where does Ada live?', 'My sister wants to know:'],
    [
      'So tired! Where does Ada live? When did Ada move?',
      'Where does Ada live? When did Ada move?',
      'So tired!',
    ],
    ['She said "no." Where does Dr. Ada Li live?', 'Where does Dr. Ada Li live?', 'She said "no."'],
    [
      'Could you look through what we have and find out where Ada lives?',
      'where Ada lives?',
      'Could you look through what we have and find out',
    ],
    ["I'd like to know which car Ada drives?", 'which car Ada drives?', "I'd like to know"],
    ['long week. when did ada move to Rome', 'when did ada move to Rome', 'long week.'],
    ['Before I forget, where does Ada live?', 'where does Ada live?', 'Before I forget'],
    ['Where does Ada live, if you happen to know?', 'Where does Ada live?', 'if you happen to know'],
    [
      "Sorry, I can't recall this - where does Ada Li live — by any chance?",
      'where does Ada Li live?',
      "Sorry I can't recall this by any chance",
    ],
    [
      'In the conversation between Ada and Bo, where did Ada Li live?',
      'where did Ada Li live?',
      'In the conversation between Ada and Bo',
    ],
    ['Where did Ada Li live, as Ada told Bo?', 'Where did Ada Li live?', 'as Ada told Bo'],
    [
      'Where did Ada Li live, as mentioned in the chat?',
      'Where did Ada Li live?',
      'as mentioned in the chat',
    ],
    ['just to be sure, where does aunt ada live', 'where does aunt ada live', 'just to be sure'],
    ['So tired. Please tell me where Ada lives.', 'Please tell me where Ada lives.', 'So tired.'],
    ['So tired. And which red car does Ada like.', 'And which red car does Ada like.', 'So tired.'],
    [
      'Before I forget, which hotel can you suggest? My budget is small.',
      'which hotel can you suggest? My budget is small.',
      'Before I forget',
    ],
    ['今天好累。小明住在哪个城市？', '小明住在哪个城市？', '今天好累。'],
  ])('%j', (task, asking, remarks) => {
    expect(splitRemarks(task)).toMatchObject({ asking, remarks })
  })

  it.each([
    'Where does Ada live?',
    'Where did Mr. and Mrs. J. Smith of Example Inc. live, e.g. in May?',
    'Fix the test of the shop. When the build of Ada is done, deploy it.',
    'Do the release of the shop. Find out how Ada did it.',
    'I am meeting Tom on Friday. What should I bring?',
    'I plan to change my will. How would you suggest I keep the papers?',
    'My red bike was stolen. When did Ada buy it?',
    'In our conversation about the car, what did Ada say?',
    'In the chat with Ada last week, what did Bo say of Rome?',
    'Where did Ada live, as Bo said in May?',
    'where does ada live',
    'When I asked you about the car, where was Ada?',
    'I know Ada moved, where does she live now?',
    'Just before the trip, what did Ada buy?',
    'Sorry for the delay, the parcel of Ada is late.',
    'Does Ada know where Ben lives?',
    'Could you see the house of Ada?',
    '',
  ])('are all of %j', (task) => {
    expect(splitRemarks(task)).toEqual({ asking: task, remarks: '', questions: [] })
  })

  it.each([
    ['User: Hi, how was Rome?\nAssistant: Loud.\nUser: Where does Ada live?', 'Where does Ada live?'],
    [
      'You help.\n\n**Human:** Is it late?\n\n**AI:** No.\n**Human:** tell me of Ada Li\n**AI:**',
      'tell me of Ada Li',
    ],
    ['Customer: So tired. When did Ada call?\nAgent: At six.', 'When did Ada call?'],
  ])('are in the last turn of the person in %j', (chat, asking) => {
    expect(splitRemarks(chat).asking).toBe(asking)
  })

  it('leave the other turns of a chat as remarks, without their labels', () => {
    const chat = 'User: How was Rome?\nAssistant: It was loud.\nUser: So tired. Where does Ada live?'
    expect(splitRemarks(chat).remarks).toBe('How was Rome? It was loud. So tired.')
    expect(splitRemarks('User: Where was Ada?\nAssistant: In Rome.\nUser: And when?').remarks).toBe('')
    expect(splitRemarks('Note to the user: call Ada Li\nAssistant: Bo').remarks).toBe('')
  })

  it('are alone asked for, with the words of quotes as plain words', () => {
    const text = readQuestionText('We saw "Still Water" -twice- again. Who wrote "Red Sky" -poems?')
    expect(text.query).toEqual({
      alternatives: 'Who wrote Red Sky',
      remarks: 'We saw Still Water twice again',
      phrases: [],
      excluded: ['poems'],
    })
    expect(text.asking).toBe('Who wrote  Red Sky')
    expect(text.topic).toContain('Still Water')
  })

  it('are apart from a line that introduces them', () => {
    const text = readQuestionText('Search the memory for the answer to this question: "When did Ada move?"')
    expect(text.query.alternatives).toBe('When did Ada move')
    expect(text.query.remarks).toBe('the answer to this')
  })

  it('take linear time to find', () => {
    for (const unit of [
      ' and what ',
      'could you know ',
      ', and is Ada',
      'sorry, ',
      'in her chat with ',
      ', as Ada told ',
      'so that ',
      'a, ',
      '- ',
      ', by any chance',
      '. ',
      '? ',
      '?" ',
      ' \n',
      'e.g. ',
      'A. ',
      '?)"',
      '。',
      ': ',
      'what a ',
      '. how to ',
    ]) {
      const start = performance.now()
      splitRemarks(unit.repeat(Math.floor(500_000 / unit.length)))
      expect(performance.now() - start).toBeLessThan(10_000)
    }
  })
})

describe('several questions in a task', () => {
  it.each([
    ['Where does Ada live? When did Ben move?', ['Where does Ada live?', 'When did Ben move?']],
    [
      'So tired. Where does Ada live, and who made the silver ring?',
      ['Where does Ada live', 'who made the silver ring?'],
    ],
    [
      'where does aunt ada live and when did uncle ben move',
      ['where does aunt ada live', 'when did uncle ben move'],
    ],
    ['Where did I move, and who made the silver ring?', ['Where did I move', 'who made the silver ring?']],
    ['1. Where does Ada live?\n2. Who is Ben Li?', ['Where does Ada live?', 'Who is Ben Li?']],
    ['小明住在哪个城市？小红什么时候搬家？', ['小明住在哪个城市？', '小红什么时候搬家？']],
    [
      'Where does Ada live? And why? When did Ben move?',
      ['Where does Ada live? And why?', 'When did Ben move?'],
    ],
    [
      'And why? Where does Ada live? When did Ben move?',
      ['And why? Where does Ada live?', 'When did Ben move?'],
    ],
  ])('are found in %j', (task, questions) => {
    expect(splitRemarks(task).questions).toEqual(questions)
  })

  it.each([
    'Where do Ada and Ben live?',
    'Where does Ada live and why?',
    'Who was Ada when Ben moved?',
    'Book the hotel of Ada. Order flowers for Ben.',
    Array.from({ length: 5 }, (_, at) => `Where does Ada${at} live?`).join(' '),
  ])('are not found in %j', (task) => {
    expect(splitRemarks(task).questions).toEqual([])
  })

  it('are read one by one, each with the words of the others as remarks', () => {
    const { parts } = readQuestionText('So tired! Where does "Ada Li" live, and when did she sell the boat?')
    expect(parts.map(({ query }) => query)).toEqual([
      {
        alternatives: 'Where does Ada Li live',
        remarks: 'when did she sell the boat So tired',
        phrases: [],
        excluded: [],
      },
      {
        alternatives: 'when did she sell the boat',
        remarks: 'Where does Ada Li live So tired',
        phrases: [],
        excluded: [],
      },
    ])
  })

  it('are searched together if every answer must or must not contain something', () => {
    expect(readQuestionText('where does "ada li" live and when did ben move').parts).toEqual([])
    expect(readQuestionText('Where does Ada live? When did Ben -Li move?').parts).toEqual([])
  })
})
