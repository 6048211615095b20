import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { type Once, readCallContext } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import {
  Budget,
  BudgetChoice,
  BudgetPage,
  BudgetPath,
  BudgetsQuery,
  NewBudgetPath,
} from './budgets.schemas.ts'
import type { BudgetsService } from './budgets.service.ts'

export type BudgetsOptions = { budgets: BudgetsService; once: Once }

const reads = { permission: 'records:read' } as const
const writes = { permission: 'admin' } as const
const tags = ['policies']

const rules =
  'The decay job forgets the records that exceed the budget, those with the lowest `keeping` first. `keeping` is ' +
  '((importance + 3 × base_importance) / 4 + 0.4 × used) × salience^(1/32), where `used` is ' +
  'min(1, ln(1 + uses) / ln(6)) × min(1, salience); `/explain` shows it. The job never forgets a record that is pinned, has a deletion policy other than `auto_prune`, or has a protected type or layer, but the budget counts ' +
  'it. Forgotten records are not counted, and they can be restored. '

const set = {
  tags,
  body: ref(BudgetChoice),
  response: answers({ 200: { schema: ref(Budget), description: 'The new budget.' } }, [
    'outside_trust',
    'budget_too_small',
  ]),
}
const deleted = answers({ 204: { description: 'The budget is deleted.' } }, [
  'budget_not_found',
  'outside_trust',
])

export const budgetsRoutes: FastifyPluginAsyncTypebox<BudgetsOptions> = async (app, { budgets, once }) => {
  app.get(
    '/v1/policies/budgets',
    {
      config: reads,
      schema: {
        operationId: 'listBudgets',
        tags,
        summary: 'List the budgets',
        description:
          'Returns the default budget, which has no `scope`, and then the budgets of the scopes that the key may see.',
        querystring: BudgetsQuery,
        response: answers(
          { 200: { schema: ref(BudgetPage), description: 'A page of budgets.', headers: ['Link'] } },
          ['invalid_cursor'],
        ),
      },
    },
    async (request, reply) => sendPage(request, reply, await budgets.list(request.caller, request.query)),
  )

  app.put(
    '/v1/policies/budgets',
    {
      config: writes,
      schema: {
        ...set,
        operationId: 'putDefaultBudget',
        summary: 'Set the default budget',
        description: `${rules}The default applies to each scope that has no budget, and to the records without a scope. Needs a key with all scopes and the highest ceiling.`,
      },
    },
    (request) => budgets.replace(readCallContext(request), request.body),
  )

  app.delete(
    '/v1/policies/budgets',
    {
      config: writes,
      schema: {
        operationId: 'deleteDefaultBudget',
        tags,
        summary: 'Delete the default budget',
        description:
          'Deletes the default budget: scopes without a budget are then unlimited. Forgotten records stay forgotten.',
        response: deleted,
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        await budgets.remove(call)
        return { status: 204 }
      }),
  )

  app.get(
    '/v1/policies/budgets/:scope',
    {
      config: reads,
      schema: {
        operationId: 'getBudget',
        tags,
        summary: 'Read the budget of a scope',
        description:
          'Returns the budget of the scope. Returns 404 if the scope has none, even if the default applies to it.',
        params: BudgetPath,
        response: answers({ 200: { schema: ref(Budget), description: 'The budget.' } }, ['budget_not_found']),
      },
    },
    (request) => budgets.read(request.caller, request.params.scope),
  )

  app.put(
    '/v1/policies/budgets/:scope',
    {
      config: writes,
      schema: {
        ...set,
        operationId: 'putBudget',
        summary: 'Set the budget of a scope',
        description: `${rules}Needs a key with the scope and the highest ceiling.`,
        params: NewBudgetPath,
      },
    },
    (request) => budgets.replace(readCallContext(request), request.body, request.params.scope),
  )

  app.delete(
    '/v1/policies/budgets/:scope',
    {
      config: writes,
      schema: {
        operationId: 'deleteBudget',
        tags,
        summary: 'Delete the budget of a scope',
        description:
          'Deletes the budget of the scope: the default then applies to it. Forgotten records stay forgotten.',
        params: BudgetPath,
        response: deleted,
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        await budgets.remove(call, request.params.scope)
        return { status: 204 }
      }),
  )
}
