import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { cellsPerSet } from '../embeddings/index.ts'
import { findBreaches } from './breaches.queries.ts'
import type { Finding } from './law.ts'

/** A vector has a signature; without one it is never found. */
export async function findUnsignedVectors(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select coalesce(e.record_id, s.record_id), e.record_id is not null and s.record_id is not null
      from embeddings as e
      full join signatures as s on s.record_id = e.record_id and s.model_id = e.model_id
    `,
  )
}

/** The cell of a signature belongs to a set of its model; in any other cell no search would read it. */
export async function findLostCells(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select s.record_id, s.cell = 0 or s.cell % ${sql.lit(cellsPerSet)} < cardinality(c.members)
      from signatures as s
      left join vector_cells as c on c.model_id = s.model_id and c.id = s.cell / ${sql.lit(cellsPerSet)}
    `,
  )
}

/**
 * The length of a code: 4 bytes per dimension at 32 bits, otherwise 8 bytes for the scale and the bits of each
 * dimension.
 */
export async function findVectorsOfWrongSize(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select e.record_id, octet_length(e.code) = case when e.bits = 32 then m.dimensions * 4
        else 8 + ceil(m.dimensions * e.bits / 8.0) end
      from embeddings as e
      join embedding_models as m on m.id = e.model_id
    `,
  )
}

/**
 * A text that a built-in embedder may read has a vector or waits for one, once the embedder has listed all older
 * records. For other models we do not know which texts they refuse.
 */
export async function findForgottenTexts(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select r.id, exists (select from embeddings as e where e.record_id = r.id and e.model_id = m.id)
        or exists (select from unembedded as u where u.record_id = r.id)
      from embedding_models as m
      join records as r on r.sensitivity <= m.max_sensitivity
      join contents as c on c.record_id = r.id
      where m.embeds and m.provider in ('static', 'hash') and m.walked_to is null and c.words > 0
    `,
  )
}

/**
 * A record is compared once: it is not waiting and compared at the same time, and its result is within the possible
 * range.
 */
export async function findWrongSurprises(db: Database): Promise<Finding> {
  return findBreaches(
    db,
    sql`
      select s.record_id, s.delta <= 0.3 and (s.duplicate_of is null or (s.delta <= 0 and s.duplicate_of <> s.record_id))
        and not exists (select from unsurprised as u where u.record_id = s.record_id)
      from surprises as s
    `,
  )
}
