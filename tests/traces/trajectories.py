"""Generated trajectories of every kind that the format allows, and some that hold what no file can."""

from __future__ import annotations

from hypothesis import strategies as st

from sharpen.traces import Agent, FinalMetrics, Metrics, Result, Step, ToolCall, Trajectory

texts = st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
facts = st.dictionaries(texts, values, max_size=2)
counts = st.none() | st.integers(0, 10**9)
images = st.fixed_dictionaries({"media_type": st.sampled_from(["image/png", "image/webp"]), "path": texts})
sounds = st.fixed_dictionaries(
    {"media_type": st.sampled_from(["audio/wav", "audio/aiff"]), "path": texts},
    optional={"duration_sec": st.floats(0, 1e6)},
)
parts = st.lists(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts})
    | st.fixed_dictionaries({"type": st.just("image"), "source": images})
    | st.fixed_dictionaries({"type": st.just("audio"), "source": sounds}),
    min_size=1,
    max_size=3,
).map(tuple)
contents = texts | parts
ids = st.none() | st.lists(st.integers(0, 9), max_size=2).map(tuple)
metrics = st.builds(
    Metrics,
    counts,
    counts,
    counts,
    st.none() | st.floats(0, 10),
    ids,
    ids,
    st.none() | st.lists(st.floats(-9, 0), max_size=2).map(tuple),
    extra=facts,
)
references = st.lists(
    st.fixed_dictionaries({"trajectory_id": texts}, optional={"session_id": texts, "extra": facts})
    | st.fixed_dictionaries({"trajectory_path": texts}),
    max_size=2,
).map(tuple)
times = st.none() | st.sampled_from(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+02:00", "2026-01-02"])


@st.composite
def agent_steps(draw: st.DrawFn) -> Step:
    names = draw(st.lists(texts, max_size=3))
    calls = tuple(ToolCall(name, draw(texts), draw(facts), draw(facts)) for name in names)
    answered = draw(st.lists(st.none() | st.sampled_from(names or [""]), max_size=4)) if names else []
    results = tuple(
        Result(draw(st.none() | contents), name, draw(references), draw(facts)) for name in answered
    )
    return Step(
        "agent",
        draw(contents),
        timestamp=draw(times),
        model_name=draw(st.none() | texts),
        reasoning_effort=draw(st.none() | texts | st.floats(0, 1)),
        reasoning_content=draw(st.none() | texts),
        tool_calls=calls,
        results=results,
        metrics=draw(st.none() | metrics),
        is_copied_context=draw(st.none() | st.booleans()),
        llm_call_count=draw(st.none() | st.integers(1, 3)),
        extra=draw(facts),
    )


silent_steps = st.builds(Step, st.just("agent"), contents, llm_call_count=st.just(0))
other_steps = st.builds(
    Step,
    st.sampled_from(["user", "system"]),
    contents,
    times,
    results=st.lists(st.builds(Result, st.none() | contents, extra=facts), max_size=1).map(tuple),
    extra=facts,
)


def _with_inner(inner: st.SearchStrategy[list[Trajectory]]) -> st.SearchStrategy[Trajectory]:
    return st.builds(
        Trajectory,
        st.builds(
            Agent,
            texts,
            texts,
            st.none() | texts,
            st.none() | st.lists(facts, max_size=2).map(tuple),
            extra=facts,
        ),
        st.lists(agent_steps() | silent_steps | other_steps, min_size=1, max_size=4).map(tuple),
        session_id=st.none() | texts,
        trajectory_id=texts,
        notes=st.none() | texts,
        final_metrics=st.none()
        | st.builds(
            FinalMetrics, counts, counts, counts, st.none() | st.floats(0, 9), total_steps=counts, extra=facts
        ),
        continued_trajectory_ref=st.none() | texts,
        subagent_trajectories=inner.map(tuple),
        extra=facts,
    )


alone = _with_inner(st.just([]))
trajectories = _with_inner(st.lists(alone, max_size=2, unique_by=lambda inner: inner.trajectory_id))

odd_texts = st.text(st.characters(), max_size=12)
"""Half of a surrogate pair is among them, which no file can hold."""
odd_values = st.floats() | odd_texts | st.lists(st.floats() | odd_texts, max_size=2)
odd_trajectories = st.builds(
    lambda text, value: Trajectory(
        Agent("a", "1", extra={text: value}),
        (
            Step(
                "agent", text, tool_calls=(ToolCall("c", text, {text: value}),), results=(Result(text, "c"),)
            ),
        ),
        notes=text,
    ),
    odd_texts,
    odd_values,
)
