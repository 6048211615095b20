import type { RequestOptions, TestApp } from '../test-app.ts'
import type { Body } from './record-requests.ts'

/** Requests about conversations. The app is read late, because a test starts it after its file is loaded. */
export function createConversationRequests(app: () => TestApp) {
  return {
    append: (conversation: string, messages: object[], more: object = {}, options: RequestOptions = {}) =>
      app().request('POST', `/v1/conversations/${conversation}/messages`, {
        ...options,
        body: { messages, ...more },
      }),
    get: async (path: string, options: RequestOptions = {}): Promise<Body> =>
      (await app().request('GET', `/v1/conversations/${path}`, options)).body,
  }
}

export const say = (id: string, content: string, more: object = {}) => ({
  id,
  role: 'user',
  content,
  ...more,
})

export const statusesOf = ({ body }: { body: unknown }) =>
  (body as Body).items.map(({ status }: Body) => status)

export const textsOf = ({ items }: Body) => items.map(({ content }: Body) => content)
