import { html } from '../html.js'
import { Entity } from './entities/entity.js'
import { EntityList } from './entities/entity-list.js'

/** The entities, or one of them. @param {{ rest: readonly string[] }} properties */
export function View({ rest }) {
  const [id] = rest
  return id === undefined ? html`<${EntityList} />` : html`<${Entity} key=${id} id=${id} />`
}
