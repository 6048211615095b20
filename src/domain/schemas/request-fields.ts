import Type from 'typebox'
import { pathPartPattern } from './shapes.ts'
import { MemoryKind, RecordType, Sensitivity, SourceType } from './vocabulary.ts'

/** Fields that many requests have, each with its limits and its description. */

export const Name = () => Type.String({ minLength: 1, maxLength: 256 })
const listExamples = (examples: readonly string[]) => (examples.length === 0 ? {} : { examples })

export const Scope = (description: string) => Type.String({ minLength: 1, maxLength: 256, description })

/** A scope that the key chooses if the request does not. */
export const ChosenScope = (description: string) =>
  Scope(
    `${description} Default: the only scope of the key, or none for a key with all scopes. A key with several scopes must name one.`,
  )

export const maxTags = 100

export const Tags = (description: string) => Type.Array(Name(), { maxItems: maxTags, description })

export const ConversationId = (options: Type.TSchemaOptions = {}) =>
  Type.String({
    ...options,
    minLength: 1,
    maxLength: 256,
    description: 'The id of the conversation, unique in its scope.',
    examples: ['support-4711'],
  })

/** One that a client can read and remove. */
export const NewConversationId = (options: Type.TSchemaOptions = {}) =>
  ConversationId({ ...options, pattern: pathPartPattern })

/** An option of the jobs that ask a chat model. */
export const AskModel = () =>
  Type.Boolean({
    description:
      'For `consolidate` and `dream`: a dry run asks the chat model as well, which costs as much as a real run. Default false.',
  })

export const Actor = (...examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Who makes the change, for the audit log.',
    ...listExamples(examples),
  })

export const Rationale = (...examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'Why. It is stored in the audit log.',
    ...listExamples(examples),
  })

export const TypeOf = (description: string) => Type.Enum([...RecordType.enum], { description })

export const NewSensitivity = () =>
  Type.Enum([...Sensitivity.enum], {
    description:
      'A key needs at least this `max_sensitivity` to read the content in full. Not above the `max_sensitivity` of the calling key. Default: `MEMBRANE_DEFAULT_SENSITIVITY` (`low`).',
  })

export const NewSourceType = () =>
  Type.Enum([...SourceType.enum], {
    description:
      'Who or what the content comes from: a less trusted source counts less. Default: the source type of the key. A more trusted one is refused.',
  })

export const NewMemoryKind = () =>
  Type.Enum([...MemoryKind.enum], {
    description:
      'What kind of memory it is; `mode` of a retrieval selects by it. Default by type: `fact` for semantic and entity, `procedure` for competence and plan_graph, `narrative` for episodic and working.',
  })

export const MaskSecrets = (place = 'In the answer, ') =>
  Type.Optional(
    Type.Boolean({
      default: false,
      description: `${place}passwords, tokens and other secrets in the payload, the tags, the interpretation, the provenance, the relations and the audit log are replaced by \`<secret string>\`, as in a context. For a page that people look at.`,
    }),
  )
