/** For each law, statements that break it in the store of `createValidStore`. */
export const lawViolations: Readonly<Record<string, readonly string[]>> = {
  guards: [
    'alter table audit_entries disable trigger audit_entries_append_only',
    'drop trigger audit_entries_kept on audit_entries_rest',
    'drop trigger status_changes_kept on status_changes',
    'alter table records drop constraint records_counts, add constraint records_counts check (version > 0) not valid',
  ],
  runs: [
    "update maintenance_runs set status = 'running', finished_at = null where id = (select id from maintenance_runs limit 1)",
    "update job_leases set holder = 'nobody' where job = 'consolidate'",
  ],
  plans: [
    'update plan_groups set changes = changes + 1',
    'delete from plan_groups',
    'update maintenance_runs set dry_run = false where id in (select id from plans)',
  ],
  applications: [
    'update maintenance_changes set record_id = gen_random_uuid() where run_id in (select run_id from plan_applications)',
    'delete from maintenance_changes where run_id in (select id from plans)',
    `with again as (
      insert into plan_applications (run_id, plan_id, selection)
      select gen_random_uuid(), plan_id, '{}' from plan_applications returning run_id, plan_id
    ) insert into maintenance_changes (run_id, record_id, action)
      select again.run_id, c.record_id, c.action from again join maintenance_changes as c on c.run_id = again.plan_id`,
  ],
  effects: ['delete from plans'],
  undos: [
    "delete from audit_entries where action = 'undo'",
    "update audit_entries set run_id = gen_random_uuid() where action = 'undo'",
  ],
  answers: ["update idempotency_keys set expires_at = created_at - interval '1 second'"],
  tombstones: [
    `insert into tombstones (id, created_at, scope, digest, key_id, actor)
      select gen_random_uuid(), created_at, 'another', digest, '\\x00', actor from tombstones`,
  ],
  contents: [
    "delete from contents where payload ->> 'kind' = 'working'",
    `update contents set payload = payload || '{"kind": "entity"}' where payload ->> 'kind' = 'working'`,
  ],
  salience: [
    'update records set salience = base_salience * 1.5 where base_salience > 0 and not pinned',
    'update records set salience = 0 where base_salience > 0 and not pinned',
    'update records set salience = base_salience + 1 where pinned',
  ],
  expiry: [
    "update records set expires_at = created_at where max_age_seconds = 0 and status = 'active'",
    'update records set expires_at = null where max_age_seconds > 0',
  ],
  pruning: [
    "update records set prune_at = prune_at + interval '1 minute' where prune_at is not null",
    "update records set prune_at = prune_at - interval '1 minute' where prune_at > anchored_at",
    'update records set prune_at = null where prune_at is not null',
    'update records set prune_at = anchored_at where pinned',
  ],
  times: ["update records set updated_at = updated_at + interval '2 days'"],
  forgetting: [
    "update records set deletion_policy = 'never', prune_at = null where forgotten_at is not null",
    "update records set purge_at = forgotten_at - interval '1 second' where forgotten_at is not null",
    "delete from audit_entries where action = 'delete'",
  ],
  sizes: [
    'update scope_sizes set records = records + 1',
    'update scope_sizes set bytes = bytes - 1',
    'delete from scope_sizes',
  ],
  history: [
    "update records set base_salience = 0.5 where status = 'superseded'",
    `update contents set payload = jsonb_set(payload, '{revision,status}', '"active"')
      where record_id in (select id from records where status = 'superseded')`,
  ],
  successors: ["delete from relations where predicate in ('superseded_by', 'derives')"],
  audit: ['update records set version = version + 1', 'delete from audit_entries'],
  episodes: [
    `update audit_entries set changes = '{"payload.timeline": [[], []]}'
      where action = 'revise' and record_id in (select id from records where type = 'episodic')`,
  ],
  statuses: [
    "update records set status = 'active' where status = 'superseded'",
    "update records set status = 'merged' where status = 'active'",
    "update status_changes set old = 'merged'",
    'delete from status_changes',
  ],
  scores: [
    'update importance_history set old = old + 0.001',
    'update records set importance = importance / 2 where id in (select record_id from importance_history)',
  ],
  accesses: [
    'update records set access_count = 0, served_count = 0 where access_count > 0',
    'update records set last_accessed_at = null where access_count > 0',
    "insert into access_log (record_id, at, kind, actor) select record_id, at, 'served', actor from access_log",
  ],
  edges: [
    "delete from relations where predicate = 'supported_by'",
    "update relations set weight = 0.25 where predicate = 'supports'",
  ],
  descent: [
    "delete from relations where predicate in ('supersedes', 'superseded_by')",
    "delete from relations where predicate in ('derived_from', 'derives')",
    "insert into descents (derived_id, source_id, kind, is_ground) select gen_random_uuid(), id, 'fork', true from records limit 1",
    "update descents set source_id = (select id from departures where kind = 'erased' limit 1) where ctid = (select ctid from descents limit 1)",
  ],
  origins: ['delete from descents', "delete from relations where predicate = 'supersedes'"],
  search: [
    "update contents set search = to_tsvector('english', 'something else')",
    "update contents set tags = array['twice', 'twice']",
  ],
  identifiers: [
    'delete from entity_identifiers',
    "update entity_identifiers set scope = 'another'",
    "update entity_identifiers set record_id = (select id from records where type = 'entity' and status = 'merged')",
  ],
  handles: [
    "delete from handles where record_id in (select id from records where type = 'entity')",
    "update handles set scope = 'another' where record_id in (select id from records where type = 'working')",
  ],
  departures: [
    'update departures set id = (select id from records limit 1)',
    "update relations set target_id = (select id from departures) where predicate = 'supports'",
    "update departures set id = '00000000-0000-0000-0000-000000000001'",
  ],
  erasures: [
    "update audit_entries set rationale = 'a secret' where record_id in (select id from departures)",
    "delete from audit_entries where action = 'erase'",
    "update departures set conversation = 'a name' where kind = 'erased'",
    `update audit_entries
      set operation_id = (select operation_id from audit_entries where operation_id is not null and rationale <> '' limit 1)
      where record_id = (select id from departures where kind = 'erased' limit 1) and action <> 'erase'`,
  ],
  quotations: [
    `update idempotency_keys
      set body = jsonb_build_object('record', jsonb_build_object('id', (select id from departures), 'payload', '{}'::jsonb))`,
    `update idempotency_keys set body = jsonb_build_object('results', jsonb_build_array(jsonb_build_object(
      'record', jsonb_build_object('id', (select id from departures), 'payload', '{}'::jsonb))))`,
    `update idempotency_keys set body = jsonb_build_object('structuredContent', jsonb_build_object(
      'record', jsonb_build_object('id', (select id from departures), 'payload', '{}'::jsonb)))`,
    `update idempotency_keys set body = jsonb_build_object('conversation', '{"id": "a", "speakers": []}'::jsonb,
      'items', jsonb_build_array(jsonb_build_object('record_id', (select id from departures))))`,
  ],
  vectors: ['delete from signatures', 'update signatures set record_id = gen_random_uuid()'],
  cells: [
    'update signatures set cell = 16384',
    `with made as (
      insert into vector_cells (model_id, vectors, members, centroids)
      select id, 1, '{1}', '' from embedding_models limit 1 returning id
    ) update signatures set cell = made.id * 16384 + 1 from made`,
  ],
  precision: ['update embeddings set bits = 8'],
  embedding: ['delete from embeddings where record_id = (select record_id from embeddings limit 1)'],
  surprises: [
    'update surprises set delta = 0.5',
    'insert into unsurprised (created_at, asked_at, record_id) select at, at, record_id from surprises',
  ],
  'episode list': [
    "delete from unconsolidated where stage = 'episodic'",
    'update unconsolidated set record_id = gen_random_uuid()',
  ],
  importance: [
    'update records set importance = case when importance > 0.5 then 0 else 1 end where not pinned',
  ],
}
