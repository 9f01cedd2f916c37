"""Traces and datasets in object stores, against moto's server, which answers as S3 does."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

moto_server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
boto3 = pytest.importorskip("boto3")

KEYS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


@pytest.fixture(scope="module")
def store():
    """A server of its own on a free port: the environment that names it, and a client."""
    server = moto_server.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    endpoint = f"http://127.0.0.1:{port}"
    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )
    client.create_bucket(Bucket="bucket")
    yield {**os.environ, **KEYS, "AWS_ENDPOINT_URL": endpoint}, client
    server.stop()


@pytest.fixture
def ask(program, store):
    environment, _ = store

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done: subprocess.CompletedProcess[str] = program(*arguments, env=environment)
        if "built without object stores" in done.stderr:
            pytest.skip("the program was built without object stores")
        return done

    return run


def keys(client, prefix: str) -> list[str]:
    listed = client.list_objects_v2(Bucket="bucket", Prefix=prefix)
    return [entry["Key"] for entry in listed.get("Contents", [])]


def put_example(client, example, prefix: str) -> None:
    for file in sorted(Path(example("training")).glob("*.json.gz")):
        client.put_object(Bucket="bucket", Key=f"{prefix}/{file.name}", Body=file.read_bytes())


def sections(done: subprocess.CompletedProcess[str]) -> object:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["sections"]


def actions(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    (table,) = json.loads(done.stdout)["sections"][0]["tables"]
    return [row[1] for row in table["rows"]]


def test_traces_in_a_bucket_are_inputs(store, ask, example):
    put_example(store[1], example, "jobs/7")
    here = sections(ask("report", example("training"), "--json", "--quiet"))
    assert sections(ask("report", "s3://bucket/jobs/7", "--json", "--quiet")) == here
    one = ask("info", "s3://bucket/jobs/7/rank1.json.gz", "--json", "--quiet")
    assert one.returncode == 0, one.stderr
    assert json.loads(one.stdout)["inputs"][0]["path"] == "s3://bucket/jobs/7/rank1.json.gz"


def test_a_dataset_in_a_bucket_is_written_and_read(store, ask, example):
    _, client = store
    address = "s3://bucket/datasets/a"
    ingest = ("ingest", example("training"), "-o", address, "--json", "--quiet")
    assert actions(ask(*ingest)) == ["added", "added"]
    assert "datasets/a/eaves-dataset.json" in keys(client, "datasets/a/")
    assert actions(ask(*ingest)) == ["skipped", "skipped"]
    of_traces = ask("report", example("training"), "--json", "--quiet")
    of_dataset = ask("report", address, "--json", "--quiet")
    assert of_dataset.returncode == 0, of_dataset.stderr
    assert of_dataset.stdout == of_traces.stdout
    # Without `rank.json` a rank is not there, as when the writer was stopped; the next one makes it whole.
    client.delete_object(Bucket="bucket", Key="datasets/a/run=training/rank=0/rank.json")
    client.put_object(Bucket="bucket", Key="datasets/a/run=training/rank=0/old.parquet", Body=b"old")
    assert actions(ask(*ingest)) == ["added", "skipped"]
    assert "datasets/a/run=training/rank=0/old.parquet" not in keys(client, "datasets/a/")
    assert ask("report", address, "--json", "--quiet").stdout == of_traces.stdout


def test_a_bucket_becomes_a_dataset_without_fetching_twice(store, ask, example):
    _, client = store
    put_example(client, example, "jobs/8")
    ingest = ("ingest", "s3://bucket/jobs/8", "-o", "s3://bucket/datasets/b", "--json", "--quiet")
    assert actions(ask(*ingest)) == ["added", "added"]
    assert actions(ask(*ingest)) == ["skipped", "skipped"]
    client.put_object(
        Bucket="bucket",
        Key="jobs/8/rank1.json.gz",
        Body=Path(example("communication-bound/rank1.json.gz")).read_bytes(),
    )
    assert actions(ask(*ingest)) == ["skipped", "replaced"]


def test_what_is_not_there_is_said(ask):
    for address in ["s3://bucket/nothing/here", "s3://absent/traces", "ftp://bucket/traces"]:
        done = ask("report", address)
        assert done.returncode == 2, address
        assert "hint:" in done.stderr and "panicked" not in done.stderr, done.stderr
