import Type, { type Static, type TSchema } from 'typebox'
import { Decay, DeletionPolicy } from '../../domain/lifecycle/lifecycle.ts'
import { maxTags, Name } from '../../domain/schemas/request-fields.ts'
import { closed, Unit } from '../../domain/schemas/shapes.ts'
import { MemoryKind, Sensitivity } from '../../domain/schemas/vocabulary.ts'

const orNull = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }))
const ofPolicy = <T extends TSchema>(schema: T) => orNull(schema, 'null: as in the policy of the type.')

const { curve, half_life_seconds, min_salience, max_age_seconds, reinforcement_gain, max_salience } =
  Decay.properties

const DecayPatch = closed(
  {
    curve: ofPolicy(curve),
    half_life_seconds: ofPolicy(half_life_seconds),
    min_salience: ofPolicy(min_salience),
    max_age_seconds: ofPolicy(max_age_seconds),
    reinforcement_gain: ofPolicy(reinforcement_gain),
    max_salience: Type.Optional(max_salience),
  },
  { description: 'How the salience falls and rises. A changed curve starts at the current salience.' },
)

const LifecyclePatch = closed(
  {
    decay: Type.Optional(DecayPatch),
    pinned: orNull(
      Type.Boolean(),
      'A pinned record neither fades nor is pruned; null: not pinned. Needs `lifecycle:write`.',
    ),
    deletion_policy: orNull(
      DeletionPolicy,
      'Who may forget the record; null: as in the policy of the type. A change of `never` needs `admin`.',
    ),
  },
  { description: 'How the record fades, and whether it may be forgotten.' },
)

/** RFC 7396: null resets a field to its default, and a field of the lifecycle to the policy of the type. */
export const RecordPatch = closed(
  {
    tags: orNull(
      Type.Array(Name(), { maxItems: maxTags }),
      'All tags of the record: they replace the present ones. null: none.',
    ),
    scope: orNull(
      Name(),
      'The new scope, which the key must have. null: no scope, which needs a key with all scopes. Records that were made from this record alone move with it, and records that a dream wrote from it and others are purged.',
    ),
    sensitivity: orNull(
      Sensitivity,
      'null: `MEMBRANE_DEFAULT_SENSITIVITY`. A higher one also applies to the records that were made from this one. A lower one needs the permission admin.',
    ),
    confidence: orNull(Unit(), 'How certain the content is. null: 1.'),
    lifecycle: Type.Optional(LifecyclePatch),
    memory_kind: orNull(MemoryKind, 'What kind of memory it is. null: the default of the type.'),
    base_importance: orNull(Unit(), 'What the content is worth. null: it is judged from the content.'),
    emotional_valence: orNull(
      Type.Number({ minimum: -1, maximum: 1 }),
      'From -1 (bad) to 1 (good); both raise the importance. null: 0.',
    ),
    payload: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Merged into the payload of a working or an entity record.',
      }),
    ),
  },
  { $id: 'RecordPatch', minProperties: 1, examples: [{ tags: ['preference', 'editor'] }] },
)
export type RecordPatch = Static<typeof RecordPatch>
