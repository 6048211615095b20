import { html } from '../html.js'
import { Conversation } from './conversations/conversation.js'
import { ConversationList } from './conversations/conversation-list.js'

/** All conversations, or the messages of one. @param {{ rest: readonly string[] }} properties */
export function View({ rest }) {
  // An id may contain a slash; the router has decoded it.
  const id = rest[0]
  return id === undefined ? html`<${ConversationList} />` : html`<${Conversation} key=${id} id=${id} />`
}
