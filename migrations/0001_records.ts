import { type Kysely, sql } from 'kysely'

/**
 * A record is two rows. `records` is narrow: type, trust and salience. Lists filter and sort by it, and sweeps
 * rewrite it by the million. `contents` is wide: payload, tags, search vector. It is read for the few records of an
 * answer, and no sweep writes it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop function salience_at(records, timestamptz)`.execute(db)
  await sql`drop function fading_factor(decay_curve, double precision)`.execute(db)
  await sql`
    drop table lifecycle_policies, entity_identifiers, audit_entries, relations, contents, records
  `.execute(db)
  await sql`drop function refuse_audit_change()`.execute(db)
  await sql`
    drop type audit_action, source_type, record_status, memory_kind, memory_layer, deletion_policy,
      decay_curve, sensitivity, record_type
  `.execute(db)
}

const statements = [
  `create type record_type as enum ('episodic', 'working', 'entity', 'semantic', 'competence', 'plan_graph')`,
  `create type sensitivity as enum ('public', 'low', 'medium', 'high', 'hyper')`,
  `create type decay_curve as enum ('exponential', 'linear', 'custom', 'huber', 'elastic')`,
  `create type deletion_policy as enum ('auto_prune', 'manual_only', 'never')`,
  `create type memory_layer as enum ('working', 'episodic', 'semantic', 'procedural', 'codebase')`,
  `create type memory_kind as enum ('fact', 'procedure', 'narrative')`,
  `create type record_status as enum ('active', 'challenged', 'invalidated', 'merged', 'superseded')`,
  `create type source_type as enum
    ('human', 'ai', 'interaction', 'ingest', 'code_scan', 'dream', 'auto_extracted')`,
  `create type audit_action as enum
    ('create', 'revise', 'fork', 'merge', 'delete', 'reinforce', 'decay', 'restore', 'erase', 'status',
     'promote', 'demote', 'pin', 'unpin', 'archive')`,

  // The scope '' means no scope: a scope that is never null makes trust one plain comparison, which an index can
  // answer. decay_rank keeps records of one half-life in the same order at every instant: log2 of an exponential
  // salience is log2(base) + (anchor - now) / half-life, and `now` is equal for all. So an index yields the most
  // salient records, however old the last sweep is. It is null for a curve without such an order, or a base that is
  // still visible after 64 half-lives. For those, the stored salience is that of the last write; time only lowers it,
  // so it is an upper bound for an index scan. expires_at and prune_at are deadlines of the curve, computed when it
  // is set.
  `create table records (
    id uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    salience double precision not null,
    base_salience double precision not null,
    anchored_at timestamptz not null,
    last_reinforced_at timestamptz not null,
    expires_at timestamptz,
    prune_at timestamptz,
    half_life_seconds bigint not null,
    max_age_seconds bigint not null,
    min_salience double precision not null,
    reinforcement_gain double precision not null,
    max_salience double precision,
    decay_rank double precision generated always as (
      case when curve in ('exponential', 'custom') and not pinned and min_salience = 0 and expires_at is null
        and base_salience between 1e-200 and 1e6
      then ln(base_salience) / ln(2::float8)
        + date_part('epoch', anchored_at - timestamptz '1970-01-01 00:00:00+00') / half_life_seconds end
    ) stored,
    confidence double precision not null,
    importance double precision not null,
    base_importance double precision not null,
    emotional_valence double precision not null,
    last_accessed_at timestamptz,
    access_count integer not null,
    confirmation_count integer not null,
    version integer not null,
    type record_type not null,
    sensitivity sensitivity not null,
    layer memory_layer not null,
    memory_kind memory_kind not null,
    status record_status not null,
    source_type source_type not null,
    curve decay_curve not null,
    deletion_policy deletion_policy not null,
    pinned boolean not null,
    scope text not null,
    forgotten_at timestamptz,
    purge_at timestamptz,
    forgotten_run_id uuid,
    forgotten_reason text,
    forgotten_by text,
    constraint records_pkey primary key (id),
    constraint records_confidence_range check (confidence between 0 and 1),
    constraint records_scope_length check (char_length(scope) <= 256),
    constraint records_salience_range check (salience >= 0 and salience < 'infinity'),
    constraint records_base_salience_range check (base_salience >= 0 and base_salience < 'infinity'),
    constraint records_half_life_range check (half_life_seconds >= 1),
    constraint records_max_age_range check (max_age_seconds >= 0),
    constraint records_min_salience_range check (min_salience between 0 and 1),
    constraint records_gain_range check (reinforcement_gain >= 0 and reinforcement_gain < 'infinity'),
    constraint records_max_salience_range check (max_salience > 0 and max_salience < 'infinity'),
    constraint records_importance_range check (importance between 0 and 1),
    constraint records_base_importance_range check (base_importance between 0 and 1),
    constraint records_valence_range check (emotional_valence between -1 and 1),
    constraint records_counts check (access_count >= 0 and confirmation_count >= 0 and version >= 1),
    constraint records_prunable check (prune_at is null or (not pinned and deletion_policy = 'auto_prune')),
    constraint records_forgotten_whole
      check (num_nulls(forgotten_at, forgotten_reason, forgotten_by, purge_at) in (0, 4))
  )`,
  `create index records_decay_rank on records (half_life_seconds, decay_rank desc, id desc)
    where decay_rank is not null and forgotten_at is null`,
  `create index records_scoped_decay_rank on records (scope, half_life_seconds, decay_rank desc, id desc)
    where decay_rank is not null and forgotten_at is null`,
  `create index records_salience on records (salience desc, id desc)
    where decay_rank is null and forgotten_at is null`,
  `create index records_scoped_salience on records (scope, salience desc, id desc)
    where decay_rank is null and forgotten_at is null`,
  `create index records_importance on records (importance desc, id desc) where forgotten_at is null`,
  `create index records_created_at on records (created_at desc, id desc) where forgotten_at is null`,
  `create index records_updated_at on records (updated_at desc, id desc) where forgotten_at is null`,
  `create index records_prune_at on records (prune_at) where prune_at is not null and forgotten_at is null`,
  `create index records_purge_at on records (purge_at) where purge_at is not null`,

  `create table contents (
    record_id uuid not null,
    tags text[] not null,
    payload jsonb not null,
    provenance jsonb not null,
    interpretation jsonb,
    search tsvector not null,
    constraint contents_pkey primary key (record_id),
    constraint contents_record foreign key (record_id) references records (id) on delete cascade,
    constraint contents_tag_count check (cardinality(tags) <= 100),
    constraint contents_sourced check (jsonb_array_length(provenance -> 'sources') > 0)
  )`,
  `create index contents_tags on contents using gin (tags)`,
  `create index contents_search on contents using gin (search)`,

  // The closed form of salience; src/domain/lifecycle/curves.ts has the same definition in TypeScript. date_part returns
  // float8, extract returns numeric, which made a read fifteen times as slow. Exponents stop at 64 half-lives and
  // bases below 1e-200 count as 0, because PostgreSQL raises an error on an underflow that JavaScript rounds. The
  // planner can inline both functions.
  `create function fading_factor(curve decay_curve, half_lives double precision) returns double precision
    language sql immutable parallel safe as $$
      select case curve
        when 'linear' then greatest(0, 1 - half_lives)
        when 'huber' then case
          when half_lives <= 0.5 then power(2::float8, -half_lives)
          else greatest(0, sqrt(0.5::float8) * (1 - ln(2::float8) * (half_lives - 0.5)))
        end
        when 'elastic' then
          0.3::float8 * greatest(0, 1 - half_lives / 2) + 0.7::float8 * power(2::float8, -half_lives)
        else power(2::float8, -half_lives)
      end
    $$`,
  `create function salience_at(life records, instant timestamptz) returns double precision
    language sql immutable parallel safe as $$
      select case
        when life.pinned then life.base_salience
        when life.expires_at <= instant or life.base_salience < 1e-200 then 0
        else greatest(
          life.base_salience * fading_factor(
            life.curve,
            least(
              greatest(date_part('epoch', instant - life.anchored_at), 0) / life.half_life_seconds, 64
            )
          ),
          least(life.min_salience, life.base_salience)
        )
      end
    $$`,

  `create table relations (
    source_id uuid not null,
    target_id uuid not null,
    created_at timestamptz not null,
    weight double precision not null,
    predicate text not null,
    constraint relations_pkey primary key (source_id, predicate, target_id),
    constraint relations_source foreign key (source_id) references records (id) on delete cascade,
    constraint relations_target foreign key (target_id) references records (id) on delete cascade,
    constraint relations_weight_range check (weight between 0 and 1),
    constraint relations_predicate_length check (char_length(predicate) between 1 and 128)
  )`,
  `create index relations_target on relations (target_id)`,

  // No foreign key: the log outlives its record.
  `create table audit_entries (
    record_id uuid not null,
    id bigint generated always as identity,
    run_id uuid,
    at timestamptz not null,
    action audit_action not null,
    actor text not null,
    rationale text not null,
    changes jsonb,
    constraint audit_entries_pkey primary key (record_id, id)
  )`,
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      raise exception 'audit entries are append-only';
    end
  $$`,
  `create trigger audit_entries_append_only before update or delete on audit_entries
    for each row execute function refuse_audit_change()`,
  `create trigger audit_entries_kept before truncate on audit_entries
    for each statement execute function refuse_audit_change()`,

  `create table entity_identifiers (
    record_id uuid not null,
    scope text not null,
    namespace text not null,
    value text not null,
    constraint entity_identifiers_taken unique (scope, namespace, value),
    constraint entity_identifiers_record
      foreign key (record_id) references records (id) on delete cascade
  )`,
  `create index entity_identifiers_record on entity_identifiers (record_id)`,

  `create table lifecycle_policies (
    type record_type not null,
    curve decay_curve not null,
    half_life_seconds bigint not null,
    max_age_seconds bigint not null,
    min_salience double precision not null,
    reinforcement_gain double precision not null,
    max_salience double precision,
    deletion_policy deletion_policy not null,
    constraint lifecycle_policies_pkey primary key (type),
    constraint lifecycle_policies_half_life_range check (half_life_seconds >= 1),
    constraint lifecycle_policies_max_age_range check (max_age_seconds >= 0),
    constraint lifecycle_policies_min_salience_range check (min_salience between 0 and 1),
    constraint lifecycle_policies_gain_range
      check (reinforcement_gain >= 0 and reinforcement_gain < 'infinity'),
    constraint lifecycle_policies_max_salience_range check (max_salience > 0 and max_salience < 'infinity')
  )`,
  `insert into lifecycle_policies
    (type, curve, half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience,
     deletion_policy)
  values
    ('working', 'linear', 4 * 3600, 0, 0, 0, 1, 'auto_prune'),
    ('episodic', 'exponential', 3 * 86400, 0, 0, 0.1, 1, 'auto_prune'),
    ('semantic', 'exponential', 30 * 86400, 0, 0, 0.1, 1, 'auto_prune'),
    ('entity', 'exponential', 30 * 86400, 0, 0, 0.1, 1, 'auto_prune'),
    ('competence', 'exponential', 30 * 86400, 0, 0, 0.1, 1, 'auto_prune'),
    ('plan_graph', 'exponential', 30 * 86400, 0, 0, 0.1, 1, 'auto_prune')`,
]
