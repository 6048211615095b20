import Type, { type Static, type TArray, type TObject, type TOptional, type TProperties } from 'typebox'
import { ref } from '../schemas/schema-ref.ts'
import { closed, Time, Uuid } from '../schemas/shapes.ts'
import { removeRepeatedIdentifiers } from './distinct-identifiers.ts'
import { CompetencePayload, PlanGraphPayload } from './learned-payloads.ts'
import { EpisodicPayload, WorkingPayload } from './observed-payloads.ts'
import { Json, Kind, Text, Words } from './payload-fields.ts'
import { Validity } from './validity.ts'

export { EpisodicPayload, Outcome, WorkingPayload } from './observed-payloads.ts'

/** The content of a record, by type. A response contains every list; a request may leave out empty ones. */

const optional = Type.Optional

const Evidence = closed({
  source_type: Type.Enum(['event', 'tool', 'observation', 'human'], { description: 'The kind of source.' }),
  source_id: Text('The id of the source. The id of a record: the fact comes from that record.', 2_048),
  timestamp: Time({ description: 'When the source stated it.' }),
})

const Revision = closed(
  {
    supersedes: optional(Uuid({ description: 'The fact that this one replaced.' })),
    superseded_by: optional(Uuid({ description: 'The fact that replaced this one.' })),
    status: Type.Enum(['active', 'contested', 'retracted'], {
      description:
        'The state of the fact: `retracted` if it was retracted, and also if another fact replaced it. The `status` of the record distinguishes them.',
    }),
  },
  { description: 'Written by revisions. A new record may only state `{"status": "active"}`.' },
)

export const SemanticPayload = closed(
  {
    kind: Kind('semantic'),
    subject: Text('What the fact is about: a name, or the id of an entity.'),
    predicate: Text('What is stated about the subject, such as `prefers_language`.'),
    object: Json('The value of the predicate: any JSON value.'),
    validity: Validity,
    evidence: Type.Array(Evidence, { description: 'Where the fact comes from.' }),
    revision_policy: optional(
      Type.Enum(['replace', 'fork', 'contest'], {
        description:
          'What happens to this fact if a capture states another object for its subject and predicate. `replace`: the new fact supersedes it. `fork`: both stay. `contest` (default): both stay, and this fact is contested. Without a policy, facts of a list, such as what a person `likes`, `knows` or `speaks`, all stay.',
      }),
    ),
    revision: optional(Revision),
  },
  { description: 'A fact: subject, predicate, object.' },
)
export type SemanticPayload = Static<typeof SemanticPayload>

const Alias = closed({
  value: Text('The name.', 1_024),
  kind: optional(Text('What kind of name it is.', 256)),
  locale: optional(Text('The language of the name.', 64)),
})

const NewAlias = Type.Union([Alias, Text('A name alone.', 1_024)], {
  $id: 'NewAlias',
  description: 'Another name of the thing: with its kind and language, or alone.',
})

const ExternalId = closed({
  namespace: Text('Who gives the identifier, such as `github`.', 256),
  value: Text('The identifier.', 1_024),
})

const Types = () =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { description: 'All types of the thing.' })

const EntityPayload = closed(
  {
    kind: Kind('entity'),
    canonical_name: Text('The name of the thing.', 1_024),
    primary_type: Text('The main type of the thing.', 256),
    types: Types(),
    aliases: Type.Array(Alias, { description: 'Other names of the thing.' }),
    identifiers: Type.Array(ExternalId, {
      description:
        'Ids of the thing elsewhere. Within one scope and sensitivity only one entity has an identifier.',
    }),
    summary: optional(Words('What the thing is, in words.')),
  },
  {
    description:
      'A named thing. Any type is allowed; built-in types are Person, Organization, Agent, Project, Repository, File, Symbol, API, Service, Database, Tool, Task, Incident, Document, URL, Concept, Event, Other.',
  },
)

const NewEntityPayload = closed({
  ...EntityPayload.properties,
  types: optional(Types()),
  aliases: optional(Type.Array(ref(NewAlias), { description: 'Other names of the thing.' })),
  identifiers: optional(EntityPayload.properties.identifiers),
})

const NewSemanticPayload = closed({
  ...SemanticPayload.properties,
  evidence: optional(SemanticPayload.properties.evidence),
  validity: optional(Validity),
})

export const Payload = Type.Union(
  [EpisodicPayload, WorkingPayload, EntityPayload, SemanticPayload, CompetencePayload, PlanGraphPayload],
  { $id: 'Payload' },
)
export type Payload = Static<typeof Payload>

export const NewPayload = Type.Union(
  [
    listsOptional(EpisodicPayload),
    listsOptional(WorkingPayload),
    NewEntityPayload,
    NewSemanticPayload,
    listsOptional(CompetencePayload),
    listsOptional(PlanGraphPayload),
  ],
  { $id: 'NewPayload', description: "The payload for the record's `type`. Empty lists may be left out." },
)
export type NewPayload = Static<typeof NewPayload>

type ListsOptional<P extends TProperties> = {
  [K in keyof P]: P[K] extends TArray ? TOptional<P[K]> : P[K]
}

function listsOptional<P extends TProperties>(schema: TObject<P>): TObject<ListsOptional<P>> {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    Type.IsArray(property) ? Type.Optional(property) : property,
  ])
  return closed(Object.fromEntries(properties) as ListsOptional<P>)
}

const listsByKind = new Map(
  Payload.anyOf.map((schema) => [
    schema.properties.kind.const as string,
    Object.entries(schema.properties)
      .filter(([, property]) => Type.IsArray(property))
      .map(([name]) => name),
  ]),
)

/** Adds the lists that were left out, writes every alias as an object and each identifier once: readers meet one shape. */
export function completePayload(given: NewPayload): Payload {
  const lists = (listsByKind.get(given.kind) ?? []).map((name) => [name, []])
  const complete = { ...Object.fromEntries(lists), ...given } as Payload
  if (complete.kind === 'semantic') return { ...complete, validity: complete.validity ?? { mode: 'global' } }
  if (complete.kind !== 'entity') return complete
  const aliases = complete.aliases.map((alias) => (typeof alias === 'string' ? { value: alias } : alias))
  return { ...complete, aliases, identifiers: removeRepeatedIdentifiers(complete.identifiers) }
}
