import Type, { type Static } from 'typebox'
import { ChosenScope, NewSensitivity, NewSourceType, Tags } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, Time } from '../domain/schemas/shapes.ts'

const optional = Type.Optional

export const MessageId = () =>
  Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'The id of the message, unique in the conversation.',
  })

/** Any JSON value, so that the types of the libraries of chat APIs fit. `listPartFaults` checks it. */
const MessagePart = Type.Unknown({
  $id: 'MessagePart',
  description:
    'A part of a message: an object with a `type`, as the APIs of OpenAI and Anthropic and the AI SDK have it (`block_type` in LlamaIndex, `part_kind` in Pydantic AI), or with a member that says what it is, as in the APIs of Gemini and Bedrock (`text`, `functionCall`, `functionResponse`, `toolUse`, `toolResult`). The texts of `text`, `input_text`, `output_text` and `refusal` are joined, and have at most 100,000 characters together. A call (`tool_use`, `tool-call`, `tool-<name>` of a UI message) is stored with its tool and arguments, and a result (`tool_result`, `tool-result`, the output of a call) with its text. Other parts, such as images, files and thoughts, are left out, and may be longer than 100,000 characters.',
  examples: [{ type: 'text', text: 'In eu-west-1 since March.' }],
})

const MessageParts = (description: string) =>
  optional(Type.Array(ref(MessagePart), { maxItems: 1_000, description }))

/** Open, because it has what the versions of the AI SDK have in a message. */
const StoredContent = Type.Object(
  { parts: Type.Array(ref(MessagePart), { description: 'The parts of the message.' }) },
  {
    $id: 'StoredContent',
    description: 'A message of the AI SDK, as Mastra stores it in the content. Its `parts` are read.',
    examples: [{ format: 2, parts: [{ type: 'text', text: 'In eu-west-1 since March.' }] }],
  },
)

const MessageContent = Type.Union(
  [
    Type.String({ maxLength: 100_000, description: 'The text, stored as it is.' }),
    Type.Array(ref(MessagePart), { maxItems: 1_000 }),
    ref(StoredContent),
    Type.Null({ description: 'A message that only calls tools.' }),
  ],
  { description: 'What is said: a text, or a list of parts as chat APIs have it.' },
)

const ignored = () =>
  optional(Type.Unknown({ description: 'Accepted, because chat APIs return it. Not stored.' }))

export const NewMessage = closed(
  {
    id: optional(MessageId()),
    role: Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Who writes: `user`, `assistant`, `tool` or any other word. A message of the role `system` or `developer` is the prompt of an agent, and is stored only if it has an `id`. `ai`, `bot`, `model` and `agent` mean an assistant too. A message of the `user` that has only results of tools is stored with the role `tool`.',
    }),
    name: optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'The name of the writer. A question with this name finds the messages of this writer first.',
      }),
    ),
    content: optional(MessageContent),
    tool_calls: optional(
      Type.Union([Type.Array(Type.Unknown(), { maxItems: 1_000 }), Type.Null()], {
        description:
          'The calls of tools, as the API of OpenAI has them: `id`, and `function` with `name` and `arguments`.',
      }),
    ),
    tool_call_id: optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()], {
        description:
          'The call whose result `content` is. The result gets the tool of that call if the request has the call too.',
      }),
    ),
    refusal: optional(
      Type.Union([Type.String({ maxLength: 100_000 }), Type.Null()], {
        description: 'The text of a model that refuses to answer. Used if `content` has no text.',
      }),
    ),
    parts: MessageParts('The parts of a message of the AI SDK or of Gemini, instead of `content`.'),
    toolInvocations: optional(
      Type.Union([Type.Array(Type.Unknown(), { maxItems: 1_000 }), Type.Null()], {
        description:
          'The calls of version 4 of the AI SDK with their results. Read if the message has no `parts`.',
      }),
    ),
    blocks: MessageParts('The parts of a message of LlamaIndex, instead of `content`.'),
    additional_kwargs: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Of a message of LlamaIndex: its `tool_calls` and `tool_call_id`, and the transcript of its `audio`, are read, the rest is not.',
      }),
    ),
    annotations: ignored(),
    audio: ignored(),
    createdAt: ignored(),
    data: ignored(),
    experimental_attachments: ignored(),
    function_call: ignored(),
    reasoning: ignored(),
    reasoning_content: ignored(),
    reasoning_details: ignored(),
    providerOptions: ignored(),
    resourceId: ignored(),
    threadId: ignored(),
    at: optional(
      Time({
        description:
          'When it was written: it decides the order of the messages. `created_at` of the record is always the time of the call. Must not be in the future. Default: now.',
      }),
    ),
    // A UI message of the AI SDK has metadata of an unknown type. `listPartFaults` checks them.
    metadata: optional(Type.Unknown({ description: 'An object. Stored, but not searched.' })),
  },
  { $id: 'NewMessage' },
)
export type NewMessage = Static<typeof NewMessage>

const anything = (description: string) => optional(Type.Unknown({ description }))

/** Open and of any values, so that the types of these libraries fit. `readTyped` makes a message of it, which is checked as one. */
export const TypedMessage = Type.Object(
  {
    type: Type.String({
      description:
        'What it is, such as `message`, `function_call`, `function_call_output`, `reasoning`, `human` or `ai`.',
    }),
    id: anything('The id of the message, unique in the conversation.'),
    role: anything('Who writes. LangChain says it by the `type` instead: `human`, `ai`, `tool` or `system`.'),
    name: anything('The name of the writer, or of the tool that is called.'),
    content: anything('What is said: a text, or a list of parts.'),
    call_id: anything('The id of the call, in a call and in its result.'),
    arguments: anything('The arguments of a call, usually as a text of JSON.'),
    input: anything('The arguments of a call that has them under this name.'),
    output: anything('The result of a call: a text, or a list of parts.'),
    tool_calls: anything('The calls of tools in a message.'),
    tool_call_id: anything('The call whose result `content` is.'),
    at: anything('When it was written. Default: now.'),
    metadata: anything('An object. Stored, but not searched.'),
  },
  {
    $id: 'TypedMessage',
    description:
      "A message with a `type`: an item of OpenAI's Responses API, a message that Anthropic's API returned, or a message of LangChain as JSON. Its members that a `NewMessage` has too are read as there, and its other members are not read. Without a role, a call and a result are stored as in a list of parts, and any other item, such as `reasoning`, is `skipped`.",
    examples: [{ type: 'function_call_output', call_id: 'call_1', output: '18 degrees' }],
  },
)
export type TypedMessage = Static<typeof TypedMessage>

/** Open, so that the messages of each version fit. */
const ModelMessage = Type.Object(
  {
    kind: Type.Enum(['request', 'response'], {
      description: 'A `request` is stored with the role `user`, a `response` with the role `assistant`.',
    }),
    parts: Type.Array(ref(MessagePart), { maxItems: 1_000, description: 'Parts with a `part_kind`.' }),
  },
  {
    $id: 'ModelMessage',
    description:
      'A message of Pydantic AI as JSON. Its prompts, texts, calls and results are stored. The prompt of the agent, thoughts and all other members are not.',
    examples: [{ kind: 'request', parts: [{ part_kind: 'user-prompt', content: 'How warm is Oslo?' }] }],
  },
)
export type ModelMessage = Static<typeof ModelMessage>

const GivenMessage = Type.Union([ref(NewMessage), ref(TypedMessage), ref(ModelMessage)], {
  $id: 'GivenMessage',
})

export const NewMessages = closed(
  {
    scope: optional(ChosenScope('The scope of the conversation.')),
    sensitivity: optional(NewSensitivity()),
    tags: optional(Tags('Tags of the messages.')),
    source_type: optional(NewSourceType()),
    messages: Type.Array(ref(GivenMessage), {
      minItems: 1,
      maxItems: 1_000,
      description: 'The messages, in the order of the conversation.',
    }),
  },
  {
    $id: 'NewMessages',
    examples: [
      {
        messages: [
          { id: 'm1', role: 'user', name: 'Ada', content: 'Which region does billing run in?' },
          { id: 'm2', role: 'assistant', content: 'In eu-west-1 since March.' },
        ],
      },
    ],
  },
)
export type NewMessages = Static<typeof NewMessages>
