"""`watch` as a process beside the one that drives: it sees what that one does, and what becomes of it."""

import signal

HOLDING = """
jobs:
  - name: release
    steps:
      - name: build
        task: { type: model_method, modelIdOrName: release, methodName: hold }
      - name: review
        dependsOn: [build]
        task: { type: wait_for_signal, timeout: 24h }
"""


def driven(release, held):
    """A process that drives a run, in the middle of its first step, and one that watches it."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    held.met()
    watcher = release.swamp.start("workflow", "watch", "release", "--json")
    release.swamp.told(watcher, release.runs()[0]["id"])
    return driver, watcher


def test_a_watcher_sees_a_run_to_its_end_whoever_drives_it(release, held):
    """One process starts the run, others signal and resume it, and the watcher tells and answers it all."""
    driver, watcher = driven(release, held)
    held.goes_on()
    release.swamp.told(watcher, "release/build succeeded")
    command = release.swamp.told(watcher, "swamp workflow signal ")
    resume = release.swamp.told(watcher, "swamp workflow resume ")
    release.swamp.finished(driver)
    release.swamp.pasted(command)
    release.swamp.pasted(resume)
    seen = release.swamp.finished(watcher)
    assert seen.json["run"]["status"] == "succeeded"
    assert "release/review has its signal" in seen.err


def test_a_watcher_says_when_the_driver_is_gone(release, held):
    """Who watches a run whose driver was killed is told so, with the command that recovers it."""
    driver, watcher = driven(release, held)
    driver.kill()
    driver.communicate()
    seen = release.swamp.finished(watcher, code=1)
    assert seen.json["run"]["status"] == "interrupted"


def test_an_interrupted_watcher_leaves_the_run_to_its_driver(release, held):
    """Ctrl-C ends the watching with 130; the driver goes on as if nobody had looked."""
    driver, watcher = driven(release, held)
    watcher.send_signal(signal.SIGINT)
    assert release.swamp.finished(watcher, code=130).json["run"]["status"] == "running"
    held.goes_on()
    assert "The run of release is suspended." in release.swamp.finished(driver).out
