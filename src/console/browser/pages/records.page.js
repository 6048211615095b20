import { html } from '../html.js'
import { Lazy } from '../parts/lazy.js'
import { RecordList } from './records/record-list.js'

const loadRecord = () => import('./record/record.js')

/** The list of records, or one record. @param {{ rest: readonly string[] }} properties */
export function View({ rest: [id] }) {
  return id === undefined ? html`<${RecordList} />` : html`<${Lazy} key=${id} load=${loadRecord} id=${id} />`
}
