import { type RawBuilder, sql } from 'kysely'

/**
 * The closed form of decay/curves.ts, spelled in SQL over a `lifecycles` row named `l`. date_part answers
 * float8 where extract answers numeric, which made a read fifteen times as slow. Exponents stop at 64
 * half-lives and bases below 1e-200 count as 0: PostgreSQL raises on an underflow that JavaScript rounds.
 */
export function salienceAt(now: Date): RawBuilder<number> {
  const halfLives = sql`least(
    greatest(date_part('epoch', ${now}::timestamptz - l.anchored_at), 0) / l.half_life_seconds, 64
  )`
  return sql<number>`case
    when l.pinned then l.base_salience
    when l.expires_at <= ${now}::timestamptz or l.base_salience < 1e-200 then 0
    else greatest(
      l.base_salience * (case l.curve
        when 'linear' then greatest(0, 1 - ${halfLives})
        when 'huber' then case
          when ${halfLives} <= 0.5 then power(2::float8, -${halfLives})
          else greatest(0, sqrt(0.5::float8) * (1 - ln(2::float8) * (${halfLives} - 0.5)))
        end
        when 'elastic' then
          0.3::float8 * greatest(0, 1 - ${halfLives} / 2) + 0.7::float8 * power(2::float8, -${halfLives})
        else power(2::float8, -${halfLives})
      end),
      least(l.min_salience, l.base_salience)
    )
  end`
}
