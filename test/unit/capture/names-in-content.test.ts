import { expect, it } from 'vitest'
import { findNames } from '../../../src/capture/interpretation/names-in-content.ts'

const fact = { predicate: 'works at', object: 'Acme' }

it.each<[object, string[]]>([
  [{ subject: 'Ada', ...fact }, ['Ada']],
  [
    { subject: 'the person who wrote the report of last year', ...fact },
    ['the person who wrote the report of last year'],
  ],
  [{ subject: 'billing service' }, ['billing service']],
  [{ service: 'IT', project: 'US' }, ['IT', 'US']],
  [{ service: '%', project: '🦋' }, ['%', '🦋']],
  [{ subject: 'I', ...fact }, []],
  [{ subject: 'She', ...fact }, []],
  [{ subject: 'it', ...fact }, []],
  [{ user: 'me', agent: 'ich' }, []],
  [{ user: 'N/A', service: 'unknown', project: 'null', repository: 'None' }, []],
  [{ path: '.', file: '../..', service: '-' }, []],
  [{ subject: 'Re: rent', body: 'Hello' }, []],
  [{ subject: 'Your invoice 4711 is overdue since last Friday', body: 'Hello' }, []],
])('a pronoun, a placeholder and a heading are no names: %j', (content, names) => {
  const { mentions } = findNames(content, undefined)
  expect(mentions.map(({ surface }) => surface)).toEqual(names)
})
