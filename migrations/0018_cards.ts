import { type Kysely, sql } from 'kysely'

/**
 * The profile that a dream wrote for an entity and its sources, and the beliefs that it has probed. New tables only:
 * no reader or writer waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of ['belief_probes', 'peer_cards']) await sql`drop table ${sql.table(table)}`.execute(db)
}

const statements = [
  // It outlives its card: a purged profile is written again only when there is something new to say.
  `create table peer_cards (
    written_at timestamptz not null,
    entity_id uuid not null,
    card_id uuid,
    digest bytea not null,
    constraint peer_cards_pkey primary key (entity_id),
    constraint peer_cards_entity foreign key (entity_id) references records (id) on delete cascade,
    constraint peer_cards_card foreign key (card_id) references records (id) on delete set null,
    constraint peer_cards_digest_length check (octet_length(digest) = 16)
  )`,
  // The delete of a record checks whether it is a card.
  `create index peer_cards_card on peer_cards (card_id)`,
  `comment on column peer_cards.digest is 'of the question that the card answers: what was known, and to which model'`,

  `create table belief_probes (
    probed_at timestamptz not null,
    record_id uuid not null,
    constraint belief_probes_pkey primary key (record_id),
    constraint belief_probes_record foreign key (record_id) references records (id) on delete cascade
  )`,
]
