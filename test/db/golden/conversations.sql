-- src/conversations/conversations.queries.ts findFigures
    with message as materialized (
      select m.at, coalesce(c.payload #>> '{conversation,name}', c.payload #>> '{conversation,role}') as speaker
      from messages as m
      join records as r on r.id = m.record_id
      join contents as c on c.record_id = m.record_id
      where m.scope = $1
and m.conversation = $2
and r.forgotten_at is null
        and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    )
    select count(*)::int4 as messages, min(at) as first_at, max(at) as last_at,
      array(select distinct speaker
from message
order by speaker
limit 100) as speakers
    from message;

-- src/conversations/conversations.queries.ts listMessages: the first page
    select m.record_id as id, to_json(m.at) #>> '{}' as at, m.arrival
    from messages as m join records as r on r.id = m.record_id
    where m.scope = $1
and m.conversation = $2
and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    order by m.at, m.arrival
    limit $5;

-- src/conversations/conversations.queries.ts listMessages: a later page
    select m.record_id as id, to_json(m.at) #>> '{}' as at, m.arrival
    from messages as m join records as r on r.id = m.record_id
    where m.scope = $1
and m.conversation = $2
and (m.at, m.arrival) > ($3::timestamptz, $4::int8)
      and r.forgotten_at is null
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
    order by m.at, m.arrival
    limit $7;

-- src/conversations/conversations.queries.ts listConversations: the first page
    with recursive known as (
      (select m.scope, m.conversation
from messages as m
where true
order by m.scope, m.conversation
limit 1)
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation
from messages as m
        where (m.scope, m.conversation) > (known.scope, known.conversation)
and true
        order by m.scope, m.conversation
        limit 1
      ) as next
    )
    select known.scope, known.conversation, to_json(newest.at) #>> '{}' as last_at
    from known cross join lateral (
      select m.at
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope
and m.conversation = known.conversation
        and r.forgotten_at is null
and ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[]))
      order by m.at desc, m.arrival desc
      limit 1
    ) as newest
    where true
order by newest.at desc, known.scope desc, known.conversation desc
    limit $3;

-- src/conversations/conversations.queries.ts listConversations: a later page of one scope
    with recursive known as (
      (select m.scope, m.conversation
from messages as m
where m.scope = $1
order by m.scope, m.conversation
limit 1)
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation
from messages as m
        where (m.scope, m.conversation) > (known.scope, known.conversation)
and m.scope = $2
        order by m.scope, m.conversation
        limit 1
      ) as next
    )
    select known.scope, known.conversation, to_json(newest.at) #>> '{}' as last_at
    from known cross join lateral (
      select m.at
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope
and m.conversation = known.conversation
        and r.forgotten_at is null
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
      order by m.at desc, m.arrival desc
      limit 1
    ) as newest
    where true
and (newest.at, known.scope, known.conversation)
        < ($5::timestamptz, $6, $7)
    order by newest.at desc, known.scope desc, known.conversation desc
    limit $8;
