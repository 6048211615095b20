import type Anthropic from '@anthropic-ai/sdk'
import type { ModelMessage, UIMessage } from 'ai'
import { expectTypeOf, it } from 'vitest'
import type { Schemas } from '../src/core/operations.ts'

it('takes the messages of the AI SDK and of Anthropic as they are', () => {
  type Messages = Schemas['NewMessages']['messages']
  expectTypeOf<UIMessage[]>().toExtend<Messages>()
  expectTypeOf<ModelMessage[]>().toExtend<Messages>()
  expectTypeOf<Anthropic.MessageParam[]>().toExtend<Messages>()
  expectTypeOf<Anthropic.Message[]>().toExtend<Messages>()
})
