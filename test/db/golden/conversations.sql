-- src/conversations/conversations.queries.ts findFigures
    with message as materialized (
      select m.scope, m.conversation, m.at, r.created_at, case when ("r"."sensitivity" <= $1
and "r"."scope" = any($2::text[])) then
        coalesce(c.payload #>> '{conversation,name}', c.payload #>> '{conversation,role}') end as speaker
      from unnest($3::text[],
        $4::text[]) as place (scope, conversation)
      join messages as m on m.scope = place.scope
and m.conversation = place.conversation
      join records as r on r.id = m.record_id
      join contents as c on c.record_id = m.record_id
      where r.forgotten_at is null
and ("r"."sensitivity" <= $5
and "r"."scope" = any($6::text[]))
    ), spoken as (
      select scope, conversation, speaker, count(*) as messages
from message
      where speaker is not null group by scope, conversation, speaker
    )
    select scope, conversation, count(*)::int4 as messages, min(at) as first_at, max(at) as last_at,
      max(created_at) as updated_at, (
        select coalesce(json_agg(json_build_object('name', named.speaker, 'messages', named.messages)), '[]')
        from (
          select speaker, messages
from spoken as s
          where s.scope = message.scope
and s.conversation = message.conversation
          order by messages desc, speaker
limit 100
        ) as named
      ) as speakers
    from message
    group by scope, conversation;

-- src/conversations/conversations.queries.ts listConversations: the first page
    with recursive known as (
      select next.*
from unnest($1::text[]) as reachable (scope) cross join lateral (
        select m.scope, m.conversation
from messages as m
where m.scope = reachable.scope
        order by m.conversation
limit 1
      ) as next
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation
from messages as m
where m.scope = known.scope
and m.conversation > known.conversation
        order by m.scope, m.conversation
        limit 1
      ) as next
    )
    select known.scope, known.conversation, last.newest
    from known cross join lateral (
      select m.arrival as newest
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope
and m.conversation = known.conversation
        and r.forgotten_at is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
      order by m.arrival desc
      limit 1
    ) as last
    where true
order by last.newest desc
    limit $4;

-- src/conversations/conversations.queries.ts listConversations: the first page of every scope
    with recursive known as (
      (select m.scope, m.conversation
from messages as m
order by m.scope, m.conversation
limit 1)
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation
from messages as m
where (m.scope, m.conversation) > (known.scope, known.conversation)
        order by m.scope, m.conversation
        limit 1
      ) as next
    )
    select known.scope, known.conversation, last.newest
    from known cross join lateral (
      select m.arrival as newest
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope
and m.conversation = known.conversation
        and r.forgotten_at is null
and ("r"."sensitivity" <= $1)
      order by m.arrival desc
      limit 1
    ) as last
    where true
order by last.newest desc
    limit $2;

-- src/conversations/conversations.queries.ts listConversations: a later page of one scope
    with recursive known as (
      select next.*
from unnest($1::text[]) as reachable (scope) cross join lateral (
        select m.scope, m.conversation
from messages as m
where m.scope = reachable.scope
        order by m.conversation
limit 1
      ) as next
      union all
      select next.scope, next.conversation
      from known cross join lateral (
        select m.scope, m.conversation
from messages as m
where m.scope = known.scope
and m.conversation > known.conversation
        order by m.scope, m.conversation
        limit 1
      ) as next
    )
    select known.scope, known.conversation, last.newest
    from known cross join lateral (
      select m.arrival as newest
      from messages as m join records as r on r.id = m.record_id
      where m.scope = known.scope
and m.conversation = known.conversation
        and r.forgotten_at is null
and ("r"."sensitivity" <= $2
and "r"."scope" = any($3::text[]))
      order by m.arrival desc
      limit 1
    ) as last
    where true
and last.newest < $4::int8
    order by last.newest desc
    limit $5;

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

-- src/conversations/conversations.queries.ts listMessages: with forgotten ones
    select m.record_id as id, to_json(m.at) #>> '{}' as at, m.arrival
    from messages as m join records as r on r.id = m.record_id
    where m.scope = $1
and m.conversation = $2
and ("r"."sensitivity" <= $3
and "r"."scope" = any($4::text[]))
    order by m.at, m.arrival
    limit $5;

-- src/conversations/message-appending.queries.ts countAtTimes
    select to_json(place.at) #>> '{}' as at, count(*)::int4 as messages
    from (
      select m.at
from messages as m join records as r on r.id = m.record_id
      where m.scope = $1
and m.conversation = $2
and m.at = any($3::timestamptz[])
and r.sensitivity = $4::sensitivity
      union all
      select d.message_at
from departures as d
      where d.scope = $5
and d.conversation = $6
and d.message_at = any($7::timestamptz[])
        and d.sensitivity = $8::sensitivity
    ) as place
    group by place.at;

-- src/conversations/message-appending.queries.ts findLatestSince
    select to_json(m.at) #>> '{}' as at
    from messages as m join records as r on r.id = m.record_id
    where m.scope = $1
and m.conversation = $2
and m.at >= $3::timestamptz
      and r.sensitivity = $4::sensitivity
    order by m.at desc
    limit 1;

-- src/conversations/message-appending.queries.ts leavePlaces
    update departures
set conversation = null, message_at = null, message_arrival = null
    where scope = $1
and conversation = $2
and sensitivity = $3::sensitivity
      and not exists (
        select
from messages as m join records as r on r.id = m.record_id
        where m.scope = $4
and m.conversation = $5
and r.sensitivity = $6::sensitivity
      );

-- src/conversations/message-appending.queries.ts listEarliest
    select place.departed_id, to_json(place.at) #>> '{}' as at,
      c.payload #>> '{conversation,message_id}' as message_id, c.payload #>> '{conversation,role}' as role,
      c.payload #>> '{conversation,name}' as name, coalesce(c.payload #>> '{timeline,0,summary}', '') as text,
      coalesce(c.payload -> 'tool_graph', '[]') as calls
    from (
      (
        select m.record_id, null::uuid as departed_id, m.at, m.arrival
        from messages as m join records as r on r.id = m.record_id
        where m.scope = $1
and m.conversation = $2
and r.sensitivity = $3::sensitivity
        order by m.at, m.arrival
        limit $4
      )
      union all
      (
        select null, d.id, d.message_at, d.message_arrival
from departures as d
        where d.scope = $5
and d.conversation = $6
and d.sensitivity = $7::sensitivity
        order by d.message_at, d.message_arrival
        limit $8
      )
    ) as place
left join contents as c on c.record_id = place.record_id
    order by place.at, place.arrival
    limit $9;

-- src/conversations/message-appending.queries.ts lockOrder
select pg_advisory_xact_lock(hashtextextended($1::text, 7351 # lock_seed()));

-- src/conversations/message-appending.queries.ts takePlaces
    with placed as (
      update messages as m
set at = d.message_at, arrival = d.message_arrival
      from unnest(
        $1::uuid[],
        $2::uuid[]
      ) as taken (record_id, departed_id) join departures as d on d.id = taken.departed_id
      where m.record_id = taken.record_id
and d.conversation is not null
      returning d.id
    )
    update departures
set conversation = null, message_at = null, message_arrival = null
    where id in (select id
from placed);
