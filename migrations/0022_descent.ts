import { type Kysely, sql } from 'kysely'

/**
 * The sources of each record, as the service recorded them. Before, an erase read them from the edges, which any
 * client can write and delete. A new table: no reader or writer waits. To fill it for existing records, the migration
 * reads `relations`, `contents` and `audit_entries` once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop function infer_descents()`.execute(db)
  await sql`drop function records_named_in(jsonb)`.execute(db)
  await sql`drop table descents`.execute(db)
}

const statements = [
  // The source has no foreign key: a purged source is still a source, and can still be erased.
  `create table descents (
    derived_id uuid not null,
    source_id uuid not null,
    is_ground boolean not null,
    kind text not null,
    constraint descents_pkey primary key (derived_id, source_id),
    constraint descents_derived foreign key (derived_id) references records (id) on delete cascade,
    constraint descents_two_records check (derived_id <> source_id),
    constraint descents_kind check (kind in (
      'capture', 'confirm', 'mention', 'consolidation', 'dream', 'supersede', 'fork', 'merge', 'fold', 'inherited',
      'claim', 'contest'
    ))
  )`,
  `create index descents_source on descents (source_id)`,
  `comment on table descents is 'what a record was made from and confirmed by; written by the service alone'`,
  `comment on column descents.is_ground is 'a record that has grounds is erased with the last of them'`,

  // A reference is a bare id, or an id after a prefix such as record:. An entry without an id is evidence of its own
  // and counts as null.
  `create function records_named_in(content jsonb) returns setof uuid language sql immutable as $$
    select case when lower(right(entry.ref, 36)) ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      and (length(entry.ref) = 36 or lower(left(entry.ref, length(entry.ref) - 36)) = 'record:')
      then lower(right(entry.ref, 36))::uuid end
    from (
      select source.value ->> 'ref' as ref
      from jsonb_array_elements(coalesce(content #> '{provenance,sources}', '[]')) as source
      union all
      select evidence.value ->> 'source_id'
      from jsonb_array_elements(
        case jsonb_typeof(content #> '{payload,evidence}') when 'array' then content #> '{payload,evidence}' else '[]' end
      ) as evidence
    ) as entry
  $$`,

  // Call it again when the last process of the version before has stopped: such a process writes edges and no
  // descent. It adds what is missing and changes nothing else.
  `create function infer_descents() returns bigint language plpgsql as $$
  declare
    added bigint;
    total bigint := 0;
  begin
    create temporary table inferred on commit drop as
      with edge as (
        select e.source_id as derived_id, e.target_id as source_id, e.created_at, e.predicate, r.source_type,
          r.created_at as made_at, r.type, s.type as far_type, s.status as far_status
        from relations as e
        join records as r on r.id = e.source_id
        join records as s on s.id = e.target_id
        where e.predicate in ('derived_from', 'supersedes') and e.source_id <> e.target_id
      )
      select e.derived_id, e.source_id, case
          when e.predicate = 'supersedes' and e.type = 'entity' and e.far_status = 'merged' then 'fold'
          when e.predicate = 'supersedes' then 'supersede'
          when e.source_type = 'dream' then 'dream'
          when e.far_type = 'episodic' and e.type in ('competence', 'plan_graph') then 'consolidation'
          when e.far_type = 'episodic' and e.created_at > e.made_at then 'confirm'
          when e.far_type = 'episodic' then 'capture'
          when e.far_status = 'merged' then 'merge'
          else 'fork' end as kind
      from edge as e
      where exists (
          select from contents as c
          where c.record_id = e.derived_id and e.source_id in (
            select named from records_named_in(jsonb_build_object('provenance', c.provenance, 'payload', c.payload)) as named
          )
        ) or exists (
          select from audit_entries as a
          where a.record_id = e.derived_id and a.at = e.created_at and a.action in ('create', 'reinforce')
            and (a.run_id is not null or a.rationale in ('captured', 'consolidated'))
        ) or exists (
          select from audit_entries as a
          where a.record_id = e.source_id and a.at = e.created_at and a.action in ('fork', 'merge', 'revise')
            and (a.action <> 'revise' or a.changes ? 'status')
        )
      union
      select r.id, named, 'capture'
      from records as r
      join contents as c on c.record_id = r.id
      cross join lateral records_named_in(jsonb_build_object('provenance', c.provenance)) as named
      join records as s on s.id = named and s.id <> r.id and s.type in ('episodic', 'working')
      where r.type = 'entity' and exists (
        select from audit_entries as a where a.record_id = r.id and a.action = 'create' and a.rationale = 'captured'
      );
    insert into descents (derived_id, source_id, kind, is_ground)
      select distinct on (i.derived_id, i.source_id) i.derived_id, i.source_id, i.kind,
        i.kind not in ('fold', 'supersede') and not own.is_own
      from inferred as i
      join contents as c on c.record_id = i.derived_id
      cross join lateral (
        select coalesce(bool_or(named is null or not (
            exists (select from records as r where r.id = named) or exists (select from departures as d where d.id = named)
          )), false) as is_own
        from records_named_in(jsonb_build_object('provenance', c.provenance, 'payload', c.payload)) as named
      ) as own
      order by i.derived_id, i.source_id, i.kind
      on conflict do nothing;
    get diagnostics added = row_count;
    total := total + added;
    -- Who else speaks of an entity that was captured keeps it.
    insert into descents (derived_id, source_id, kind, is_ground)
      select e.target_id, e.source_id, 'mention', true
      from relations as e
      where e.predicate = 'mentions_entity' and e.source_id <> e.target_id
        and exists (select from descents as d where d.derived_id = e.target_id and d.kind = 'capture' and d.is_ground)
        and exists (
          select from audit_entries as a
          where a.record_id = e.source_id and a.at = e.created_at and a.rationale = 'captured'
        )
      on conflict do nothing;
    get diagnostics added = row_count;
    drop table inferred;
    return total + added;
  end
  $$`,
  `select infer_descents()`,
]
