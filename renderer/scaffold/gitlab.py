"""The job for GitLab CI/CD."""

from __future__ import annotations

GITLAB = ".gitlab-ci.yml"


def gitlab_file(version: str) -> str:
    """The whole file, or what is added to another. Reports are written before the commands that may fail."""
    return f"""\
# Shows what is wrong in the merge request, refuses a stale rendered/, and has a page with what it would do
# to which virtual machine. https://github.com/vmrender/vmrender/blob/v{version}/docs/gitlab.md
vmrender:
  image: python:3.13
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  variables:
    GIT_DEPTH: "0" # the commit that a merge request is compared with may be an old one
    PIP_CACHE_DIR: $CI_PROJECT_DIR/.cache/pip
  cache:
    key: vmrender-{version}
    paths: [.cache/pip]
  before_script:
    - python -m venv /tmp/vmrender && . /tmp/vmrender/bin/activate
    - pip install --quiet vmrender=={version}
  script:
    - vmrender validate --format gitlab > gl-code-quality-report.json || true
    - vmrender validate --format junit > vmrender-junit.xml || true
    - vmrender diff "${{CI_MERGE_REQUEST_DIFF_BASE_SHA:-HEAD^}}" --format html > vmrender-diff.html || true
    - test -s vmrender-diff.html || rm vmrender-diff.html
    - vmrender validate
    - vmrender render --check
  artifacts:
    when: always
    expose_as: virtual machines
    paths: [vmrender-diff.html]
    reports:
      codequality: gl-code-quality-report.json
      junit: vmrender-junit.xml
"""
