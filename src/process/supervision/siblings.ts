import cluster, { type Worker } from 'node:cluster'
import { type CountRequest, createLocalCounter } from '../../http/limits/rate-counter.ts'
import type { Clock } from '../../kernel/clock.ts'

/** Questions of a process to the one that started it, and to its siblings through it. */
type Question = { ask: 'count' | 'metrics'; id: number; bucket?: string }
type Answer = { answer: unknown; id: number }

/** A process that hangs must not keep the others from answering. */
const maxWaitMs = 1_000

type Waiting = Map<number, (answer: unknown) => void>

function createQuestions(send: (message: Question) => void) {
  const waiting: Waiting = new Map()
  let last = 0
  return {
    ask: (question: Omit<Question, 'id'>): Promise<unknown> =>
      new Promise((resolve) => {
        const id = ++last
        const settle = (answer: unknown) => {
          clearTimeout(late)
          waiting.delete(id)
          resolve(answer)
        }
        const late = setTimeout(settle, maxWaitMs, undefined)
        waiting.set(id, settle)
        send({ ...question, id })
      }),
    settle: ({ id, answer }: Answer) => waiting.get(id)?.(answer),
  }
}

type Serving = { count: CountRequest; siblings(): readonly Worker[] }

/** For the process that started the others: answers what they ask. */
export function answerSiblings({ count, siblings }: Serving) {
  const asking = new WeakMap<Worker, ReturnType<typeof createQuestions>>()
  const send = (worker: Worker, message: Question | Answer) => {
    // A process that has just ended needs no answer.
    if (worker.isConnected()) worker.send(message, () => {})
  }
  const askWorker = (worker: Worker) => {
    const questions = asking.get(worker) ?? createQuestions((message) => send(worker, message))
    asking.set(worker, questions)
    return questions.ask({ ask: 'metrics' })
  }
  return (worker: Worker, message: unknown): void => {
    if (isAnswer(message)) asking.get(worker)?.settle(message)
    if (!isQuestion(message)) return
    const answered =
      message.ask === 'count' ? count(message.bucket ?? '') : Promise.all(siblings().map(askWorker))
    void answered.then((answer) => send(worker, { id: message.id, answer }))
  }
}

type Joining = { clock: Clock; processNumber: string | undefined; metrics(): Promise<object[]> }

/** For one of several processes: its view of the others. Undefined for a process alone. */
export function joinSiblings({ clock, processNumber, metrics }: Joining) {
  if (!cluster.isWorker || processNumber === undefined) return undefined
  const local = createLocalCounter(clock)
  const send = (message: Question | Answer) => void process.send?.(message, undefined, undefined, () => {})
  const questions = createQuestions(send)
  process.on('message', (message: unknown) => {
    if (isAnswer(message)) questions.settle(message)
    if (isQuestion(message)) void metrics().then((answer) => send({ id: message.id, answer }))
  })
  return {
    processNumber,
    /** Alone while the counting process does not answer. */
    count: async (bucket: string): ReturnType<CountRequest> => {
      const counted = await questions.ask({ ask: 'count', bucket })
      return isCount(counted) ? counted : local(bucket)
    },
    /** The series of every process that answers. */
    gather: async (): Promise<object[][]> => {
      const gathered = await questions.ask({ ask: 'metrics' })
      return Array.isArray(gathered) ? gathered.filter((each) => Array.isArray(each)) : [await metrics()]
    },
  }
}

function isCount(answer: unknown): answer is Awaited<ReturnType<CountRequest>> {
  return typeof answer === 'object' && answer !== null && 'count' in answer && 'resetMs' in answer
}

function isQuestion(message: unknown): message is Question {
  return typeof message === 'object' && message !== null && 'ask' in message
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'id' in message && !('ask' in message)
}
