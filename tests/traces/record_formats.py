"""Record what other programs write: `python tests/traces/record_formats.py genai|openinference|mini FOLDER`.

Run it in an environment of its own that has the program: `openai opentelemetry-exporter-otlp-json-file` with
`opentelemetry-instrumentation-genai-openai` or `openinference-instrumentation-openai`, or `mini-swe-agent`.
Nothing is asked of a network: the model is a server on loopback, or mini-SWE-agent's deterministic one. The
files in `data/` are such recordings, without definitions of tools and names of machines.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any


def call(name: str, tool: str, **arguments: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


ANSWERS = (
    {
        "content": None,
        "tool_calls": [call("call_a", "bash", command="make all"), call("call_b", "read", path="ünï.txt")],
    },
    {"content": "Trying again.", "tool_calls": [call("call_c", "bash", command="make all -k")]},
    {"content": "The build works again."},
)
OUTPUTS = {"call_a": "cc: error: no input files", "call_b": "hello", "call_c": "built app"}
INSTRUMENTS = {
    "genai": "opentelemetry.instrumentation.genai.openai",
    "openinference": "openinference.instrumentation.openai",
}
FAILS, WORKS = "echo 'cc: error' ; exit 2", "echo built app"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; printf 'diff --git a/x b/x\\n+line\\n'"


class Model(BaseHTTPRequestHandler):
    """Gives the answers one after the other."""

    count = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        message = ANSWERS[Model.count % len(ANSWERS)]
        Model.count += 1
        prompt = 100 * Model.count
        usage = {"prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10}
        usage["prompt_tokens_details"] = {"cached_tokens": 7}  # type: ignore[assignment]
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", **message}}
        answer = {
            "id": f"cc{Model.count}",
            "object": "chat.completion",
            "created": 1,
            "model": "some-model-1",
        }
        body = json.dumps({**answer, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


def record_spans(dialect: str, folder: Path) -> None:
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
    openai, trace = import_module("openai"), import_module("opentelemetry.sdk.trace")
    export = import_module("opentelemetry.sdk.trace.export")
    files = import_module("opentelemetry.exporter.otlp.json.file.trace_exporter")
    resources = import_module("opentelemetry.sdk.resources")
    provider = trace.TracerProvider(resource=resources.Resource({"service.name": "builder"}))
    exporter = files.FileSpanExporter(str(folder / f"otlp_{dialect}.jsonl"))
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    import_module(INSTRUMENTS[dialect]).OpenAIInstrumentor().instrument(tracer_provider=provider)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
    for number in range(2):
        with provider.get_tracer("app").start_as_current_span(
            "job", attributes={"session.id": f"sess-{number}"}
        ):
            converse(client)
    provider.shutdown()
    server.shutdown()


def converse(client: Any) -> None:
    told: list[dict[str, Any]] = [{"role": "system", "content": "You build."}]
    told.append({"role": "user", "content": [{"type": "text", "text": "Fix the build"}]})
    while True:
        answer = client.chat.completions.create(model="some-model", messages=told).choices[0].message
        told.append(answer.model_dump(exclude_none=True))
        if not answer.tool_calls:
            return
        told += [
            {"role": "tool", "tool_call_id": each.id, "content": OUTPUTS[each.id]}
            for each in answer.tool_calls
        ]


def record_mini(folder: Path) -> None:
    models = import_module("minisweagent.models.test_models")

    def action(number: int, command: str) -> dict[str, str]:
        return {"command": command, "tool_call_id": f"call_{number}"}

    def tools(text: str | None, *actions: dict[str, str]) -> dict[str, Any]:
        calls = [call(each["tool_call_id"], "bash", command=each["command"]) for each in actions]
        return models.make_toolcall_output(text, calls, list(actions))

    fenced = [
        models.make_output(f"Next.\n```mswea_bash_command\n{command}\n```", [{"command": command}])
        for command in (FAILS, WORKS, SUBMIT)
    ]
    both = [tools("Both.", action(0, FAILS), action(1, WORKS)), tools(None, action(2, SUBMIT))]
    responses = [
        models.make_response_api_output("Both.", [action(0, "ls nothere"), action(1, WORKS)]),
        models.make_response_api_output(None, [action(2, SUBMIT)]),
    ]
    run_mini(folder / "mini_text.traj.json", models.DeterministicModel(outputs=fenced))
    run_mini(folder / "mini_tools.traj.json", models.DeterministicToolcallModel(outputs=both))
    run_mini(
        folder / "mini_response.traj.json", models.DeterministicResponseAPIToolcallModel(outputs=responses)
    )


def run_mini(path: Path, model: Any) -> None:
    agents = import_module("minisweagent.agents.default")
    local = import_module("minisweagent.environments.local")
    templates = {"system_template": "You are helpful.", "instance_template": "Task: {{task}}"}
    agents.DefaultAgent(model, local.LocalEnvironment(), output_path=path, **templates).run("Fix the build")


if __name__ == "__main__":
    what, where = sys.argv[1], Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    record_mini(where) if what == "mini" else record_spans(what, where)
