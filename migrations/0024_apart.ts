import { type Kysely, sql } from 'kysely'

/**
 * Identifiers are unique per sensitivity, and a tombstone has the sensitivity of the erased record. Locks
 * entity_identifiers against readers and writers for one update of its rows and one index build, and tombstones for a
 * moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Of entities that share an identifier, the least sensitive keeps it. */
export async function down(db: Kysely<unknown>): Promise<void> {
  for (const statement of reverse) await sql.raw(statement).execute(db)
}

const statements = [
  // An older tombstone has no sensitivity and counts as one of the highest.
  `alter table tombstones add column sensitivity sensitivity not null default 'hyper'`,

  // Null only between the insert of an older process and the trigger below.
  `alter table entity_identifiers add column sensitivity sensitivity`,
  `update entity_identifiers as i set sensitivity = r.sensitivity from records as r where r.id = i.record_id`,
  `alter table entity_identifiers drop constraint entity_identifiers_taken`,
  `alter table entity_identifiers
    add constraint entity_identifiers_taken unique (scope, sensitivity, namespace, value)`,

  // A process of the version before does not write the sensitivity. The trigger runs after the whole statement,
  // because the same statement may insert the record.
  `create function complete_identifier() returns trigger language plpgsql as $$
    begin
      update entity_identifiers as i set sensitivity = r.sensitivity
      from records as r
      where r.id = i.record_id and i.record_id = new.record_id and i.sensitivity is null;
      return null;
    end
  $$`,
  `create trigger entity_identifiers_complete after insert on entity_identifiers
    for each row when (new.sensitivity is null) execute function complete_identifier()`,
  `create function move_identifiers() returns trigger language plpgsql as $$
    begin
      update entity_identifiers set sensitivity = new.sensitivity where record_id = new.id;
      return null;
    end
  $$`,
  `create trigger records_identifiers after update of sensitivity on records
    for each row when (new.type = 'entity' and new.sensitivity <> old.sensitivity)
    execute function move_identifiers()`,
]

const reverse = [
  `drop trigger records_identifiers on records`,
  `drop function move_identifiers()`,
  `drop trigger entity_identifiers_complete on entity_identifiers`,
  `drop function complete_identifier()`,
  `delete from entity_identifiers as i using entity_identifiers as other
    where other.scope = i.scope and other.namespace = i.namespace and other.value = i.value
      and other.sensitivity < i.sensitivity`,
  `alter table entity_identifiers drop constraint entity_identifiers_taken`,
  `alter table entity_identifiers drop column sensitivity`,
  `alter table entity_identifiers add constraint entity_identifiers_taken unique (scope, namespace, value)`,
  `alter table tombstones drop column sensitivity`,
]
