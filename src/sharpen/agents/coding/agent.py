"""A coding agent as a student: one attempt is one run of the real binary in folders of its own.

An attempt is scored only when the agent ran to its end. A crash, a provider that refused, a lost stream, a
timeout or a client that could not open the skill is an error on the rollout, not a score. Both arms run the
same command in the same folders; without a skill there is none in the home folder. Randomness is the model's;
the trial number changes nothing here.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import replace

from sharpen.agents.coding.binary import Binary, find_binary
from sharpen.agents.coding.confined import check_sandbox, run_confined
from sharpen.agents.coding.endpoint import check_answers
from sharpen.agents.coding.home import (
    Folders,
    check_above,
    folders,
    install_skill,
    says_something,
    write_files,
)
from sharpen.agents.coding.process import Finished, run
from sharpen.agents.coding.reading import breakdown, cleaner, opened, read_run, usage_of, withheld
from sharpen.agents.coding.settings import AgentSettings
from sharpen.agents.layout import lay_out
from sharpen.clients import Client, Launch, Order
from sharpen.errors import SettingsError
from sharpen.skills import Skill
from sharpen.tasks.scoring import Answer, Scorer, judged
from sharpen.traces import Agent, Session, to_json
from sharpen.types import Rollout, Score, Task, digest_of

NO_KEY = "no-key"
"""What an endpoint without a key is sent; clients refuse to start with none at all."""


class CodingAgent:
    """One client with one model, scored by one scorer. `open_agent` makes one from a name."""

    def __init__(
        self, client: Client, model: str, *, scorer: Scorer, settings: AgentSettings | None = None
    ) -> None:
        self.client, self.model, self.scorer = client, model, scorer
        self.settings = settings or AgentSettings()
        self._wire = self.settings.wire_for(client)
        self._refuse_root()
        self.binary: Binary = find_binary(client, self.settings.binary)
        self._key = self._read_key()
        if self._confined:
            check_sandbox(client)
        else:
            check_above(client)

    @property
    def name(self) -> str:
        """Client and model, as `open_agent` takes them."""
        return f"{self.client.name}:{self.model}"

    @property
    def fingerprint(self) -> str:
        """Names the answers: client, version, model, scorer and every setting that could change one."""
        settings = digest_of(dict(self.settings.facts()))[:12]
        version = f"{self.client.name}@{self.binary.version}"
        return f"coding:{version}:{self.model}:{self._wire}:{self.scorer.name}:{settings}"

    async def attempt(self, task: Task, skill: Skill, *, trial: int) -> Rollout:
        """Run the client once on the task and score what it left behind."""
        await check_answers(self.client, self.settings)
        with folders() as made:
            lay_out(task, made.work)
            armed = self.settings.with_skill and says_something(skill)
            name = install_skill(skill, self.client, made.home) if armed else None
            prompt = self._prompt(task, name)
            finished = await self._run(prompt, made)
            clean = cleaner(made, [self._key])
            session = await asyncio.to_thread(read_run, self.client, finished, made, clean)
            broken = breakdown(self.client, finished, session, self.settings.timeout)
            if name is not None:
                broken = broken or withheld(self.client, session, name, skill)
            if broken:
                return Rollout.failed_to_run(task, reason=clean(broken), usage=usage_of(session, self.name))
            answer = Answer(session.final, made.work)
            score = await judged(self.scorer, task, answer)
            used = None if name is None else self._is_given or opened(session, name, skill)
            facts = {"skill": name, "skill_used": used, "client_exit_code": finished.code}
            return self._rollout(
                task, prompt, session, score=score, facts={**facts, "isolation": finished.isolation}
            )

    @property
    def _is_given(self) -> bool:
        """Whether the client puts the skill's text into the first request, so that it needs no opening."""
        return self.settings.invocation == "named" and self.client.naming is not None

    def _prompt(self, task: Task, name: str | None) -> str:
        if name is None or self.settings.invocation == "listed":
            return task.prompt
        naming = self.client.naming or "Use the skill `{name}`.\n\n{prompt}"
        return naming.replace("{name}", name).replace("{prompt}", task.prompt)

    async def _run(self, prompt: str, made: Folders) -> Finished:
        launch = self.client.launch(
            Order(
                prompt=prompt,
                model=self.model,
                wire=self._wire,
                base_url=self.settings.base_url,
                permission=self.settings.permission,
                extra_arguments=self.settings.extra_arguments,
            )
        )
        write_files(launch.files, made.home)
        finished = await (run_confined if self._confined else run)(
            [str(self.binary.path), *launch.arguments],
            environment=self._environment(launch, made),
            root=made.root,
            work=made.work,
            timeout=self.settings.timeout,
        )
        return replace(finished, isolation="client") if self._contained_by_client else finished

    @property
    def _contained_by_client(self) -> bool:
        return self.client.own_sandbox and self.settings.permission == "least"

    @property
    def _confined(self) -> bool:
        return self.settings.isolation == "sandbox" and not self._contained_by_client

    def _environment(self, launch: Launch, made: Folders) -> Mapping[str, str]:
        """Made from nothing: what the client needs, its key, and what the settings let through."""
        passed = {name: os.environ[name] for name in self.settings.pass_variables if name in os.environ}
        return {
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            **passed,
            **launch.environment,
            self.client.key_variable: self._key or NO_KEY,
            "PATH": self.binary.search_path,
            "HOME": str(made.home),
            "TMPDIR": str(made.temporary),
        }

    def _rollout(
        self, task: Task, prompt: str, session: Session, *, score: Score, facts: Mapping[str, object]
    ) -> Rollout:
        agent = Agent(self.client.name, self.binary.version, self.model)
        judged = {"score": {"hard": score.hard, "soft": score.soft}, "scorer": self.scorer.name}
        limit = {"limit": session.limit} if session.limit else {}
        trajectory = to_json(session.trajectory(agent, prompt, {**facts, **judged, **limit}))
        return Rollout(task, score, usage=usage_of(session, self.name), trajectory=trajectory)

    def _read_key(self) -> str:
        """The key's value; empty for an endpoint of one's own that no variable was named for."""
        if self.settings.base_url and self.settings.key_variable is None:
            return ""
        variable = self.settings.key_variable or self.client.key_variable
        value = os.environ.get(variable, "")
        if value:
            return value
        raise SettingsError(
            f"{self.client.title} needs a key, and the variable {variable} is empty; "
            "set it, or name another with key_variable"
        )

    def _refuse_root(self) -> None:
        if self.settings.permission == "all" and self.client.refuses_root and _is_root():
            raise SettingsError(
                f"{self.client.title} refuses permission='all' for root; use 'least', or another user"
            )


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
