import { createRandom } from '../load.ts'

const syllables = 'ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro'.split(
  ' ',
)
const vocabularySize = 20_000
/** Nearly half of English prose is these words; text search drops them, so their share decides its size. */
const functionWords =
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which'.split(
    ' ',
  )
const functionWordShare = 0.45

/** Word frequencies fall as in a language, so that text indexes grow as in real use. */
function drawWord(random: () => number): string {
  let rank = Math.floor(vocabularySize ** random())
  let word = ''
  do {
    word += syllables[rank % syllables.length]
    rank = Math.floor(rank / syllables.length)
  } while (rank > 0)
  return word
}

function drawProseWord(random: () => number): string {
  if (random() >= functionWordShare) return drawWord(random)
  return functionWords[Math.floor(random() * functionWords.length)] ?? 'the'
}

function drawWords(random: () => number, length: number): string {
  let text = drawProseWord(random)
  while (text.length < length) text += ` ${drawProseWord(random)}`
  return text.slice(0, length)
}

/** A fact with a payload of 1 KB of JSON; the same index makes the same fact in every run. */
export function makeMemory(index: number) {
  const random = createRandom(index + 1)
  const payload = {
    kind: 'semantic',
    subject: drawWords(random, 40),
    predicate: drawWord(random),
    object: '',
    validity: { mode: 'global' },
    evidence: [
      { source_type: 'observation', source_id: `run-${index}`, timestamp: '2026-01-01T00:00:00.000Z' },
    ],
  }
  payload.object = drawWords(random, 1_024 - JSON.stringify(payload).length)
  return {
    type: 'semantic',
    scope: `project-${Math.floor(random() * 100)}`,
    tags: [drawWord(random), drawWord(random)],
    salience: random(),
    payload,
  }
}
