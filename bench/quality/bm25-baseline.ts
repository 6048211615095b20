import { createBm25Ranking } from '../../test/support/checks/bm25.ts'
import type { BenchDatabase } from '../database.ts'
import type { Conversation } from './corpus.ts'
import type { Answered } from './figures.ts'

/** BM25 over single messages and their writers' names, with the stems of PostgreSQL: what a few lines of code would find. */
export async function askBaseline(
  database: BenchDatabase,
  { messages, questions }: Conversation,
  limit: number,
): Promise<Answered[]> {
  const texts = messages.map(({ name = '', content }) => `${name} ${content}`)
  const words = await stem(database, texts)
  const documents = messages.map(({ id }, index) => ({
    id,
    words: words[index] ?? [],
    length: words[index]?.length ?? 0,
  }))
  const rank = createBm25Ranking(documents)
  const asked = await stem(
    database,
    questions.map(({ text }) => text),
  )
  return questions.map((question, index) => ({
    question,
    found: rank([...new Set(asked[index])], limit).map(({ id }) => id),
  }))
}

async function stem({ pool }: BenchDatabase, texts: readonly string[]): Promise<string[][]> {
  const { rows } = await pool.query<{ words: string[] }>(
    `select array(
       select word from unnest(to_tsvector('english', text)) as l (word, positions, weights),
         unnest(positions) as each
     ) as words
     from unnest($1::text[]) with ordinality as given (text, place) order by place`,
    [texts],
  )
  return rows.map((row) => row.words)
}
