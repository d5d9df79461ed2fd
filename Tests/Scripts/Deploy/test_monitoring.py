"""Alerts and dashboards, checked with a Prometheus that watched a server through an outage, and
with that server's database."""

import json
import re
import urllib.parse

import pytest
import yaml
from programs import DEPLOY, ask, run, until

RULES = DEPLOY / "prometheus/alerts.yml"
ALERTS = [
    rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
BOARDS = {
    path.stem: json.loads(path.read_text())
    for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json"))}


MACROS = {"$__rate_interval": "15s", "$__interval": "15s", "$instance": ".*"}
# All users and all devices.
SQL_MACROS = {"${user:sqlstring}": "'*'", "${device:sqlstring}": "'*'"}


def panels(board):
    return [panel for panel in BOARDS[board]["panels"] if panel["type"] != "row"]


def targets(field):
    """Queries of panels, annotations and variables, each with a name."""
    found = []
    for board in BOARDS:
        for panel in panels(board):
            for target in panel["targets"]:
                if field in target:
                    found.append(pytest.param(
                        target[field], target.get("range", False),
                        id=f"{board}: {panel['title']} {target['refId']}"))
        if field == "expr":
            for annotation in BOARDS[board]["annotations"]["list"]:
                found.append(pytest.param(
                    annotation["expr"], True, id=f"{board}: {annotation['name']}"))
    return found


def variables():
    """Queries of the boards' variables."""
    return [
        pytest.param(variable, id=f"{board}: {variable['name']}")
        for board in BOARDS for variable in BOARDS[board]["templating"]["list"]]


def without_macros(expression):
    """The expression as Grafana expands it. An interval covers many scrapes, which happen every
    second."""
    for macro, value in MACROS.items():
        expression = expression.replace(macro, value)
    assert "$" not in expression, expression
    return expression


def without_sql_macros(sql):
    """The statement as Grafana expands it."""
    sql = re.sub(
        r"\$__timeFilter\((\w+)\)", r"\1 between now() - interval '6 hours' and now()", sql)
    sql = re.sub(
        r"\$__timeGroupAlias\((\w+), \$__interval\)",
        r"date_bin('1 minute', \1, '2000-01-01') as time", sql)
    for macro, value in SQL_MACROS.items():
        sql = sql.replace(macro, value)
    assert "$" not in sql, sql
    return sql


def api(prometheus, path, **parameters):
    status, body, _ = ask(
        f"{prometheus}/api/v1/{path}?" + urllib.parse.urlencode(parameters, doseq=True))
    answer = json.loads(body)
    assert status == 200 and answer["status"] == "success", answer
    assert not answer.get("warnings"), answer
    return answer["data"]


def selectors(expression):
    """Each metric with its matchers."""
    return re.findall(
        r"(?<![\w\"])(?:sluice_\w+|process_\w+|up|ALERTS)\b(?:\{[^}]*\})?", expression)


def expect_series(prometheus, expression):
    """Every metric is on the page, and at least one series has the requested labels."""
    found = selectors(expression)
    assert found, expression
    for selector in found:
        assert api(prometheus, "series", **{"match[]": selector}), selector


def test_promtool_accepts_rules_and_configuration(tmp_path):
    run("promtool", "check", "config", DEPLOY / "prometheus/prometheus.yml")
    run("promtool", "check", "rules", "--lint=all", "--lint-fatal", RULES)


def test_every_alert_fires_when_it_should_and_only_then():
    tests = DEPLOY / "prometheus/alerts.test.yml"
    run("promtool", "test", "rules", tests)
    expected = {
        re.search(r'alertname="(\w+)"', sample["labels"])[1]
        for test in yaml.safe_load(tests.read_text())["tests"]
        for check in test["promql_expr_test"] for sample in check["exp_samples"]}
    assert expected == {alert["alert"] for alert in ALERTS}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_every_alert_can_be_evaluated(prometheus, alert):
    api(prometheus, "query", query=alert["expr"])
    expect_series(prometheus, alert["expr"])
    assert alert["labels"]["severity"] in {"page", "ticket"}
    assert set(alert["annotations"]) == {"summary", "description"}


def test_prometheus_has_evaluated_all_alerts(prometheus):
    def evaluated():
        rules = [rule for group in api(prometheus, "rules")["groups"] for rule in group["rules"]]
        return rules if all(rule["health"] != "unknown" for rule in rules) else None

    rules = until(evaluated, "all rules are evaluated")
    assert {rule["name"] for rule in rules} == {alert["alert"] for alert in ALERTS}
    assert [rule["lastError"] for rule in rules if rule["health"] != "ok"] == []


# Panels without data here, each with its reason.
EMPTY = {
    f"{board}: Starts": "the server was started once, before Prometheus was" for board in BOARDS}


@pytest.mark.parametrize("expression, is_range", targets("expr"))
def test_every_panel_shows_something(prometheus, expression, is_range, request):
    expression = without_macros(expression)
    expect_series(prometheus, expression)
    if is_range:
        now = float(api(prometheus, "query", query="time()")["result"][0])
        result = api(
            prometheus, "query_range", query=expression, start=now - 120, end=now, step=5)
    else:
        result = api(prometheus, "query", query=expression)
    name = re.search(r"\[(.*)\]", request.node.name)[1]
    assert result["result"] or name in EMPTY
    if result["result"]:
        assert is_number(result["result"]), "no value is a number"


def is_number(series):
    """Whether some value is a number: 0/0 is also a sample, but shows nothing."""
    return any(
        value not in {"NaN", "+Inf", "-Inf"}
        for one in series for _, value in one.get("values") or [one["value"]])


@pytest.mark.parametrize("variable", variables())
def test_every_variable_has_values(prometheus, cluster, variable):
    if variable["datasource"]["type"] == "prometheus":
        query = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]["query"])
        assert query and variable["definition"] == query[0]
        assert api(prometheus, f"label/{query[2]}/values", **{"match[]": query[1]})
        assert f"${variable['name']}" in MACROS
    else:
        assert variable["definition"] == variable["query"]
        done = cluster.psql("grafana", without_sql_macros(variable["query"]))
        assert done.returncode == 0 and len(done.stdout.splitlines()) > 1, done.stdout
        assert f"${{{variable['name']}:sqlstring}}" in SQL_MACROS
        # Grafana puts the value of All in as it is.
        assert variable["allValue"] == "'*'"


def test_every_panel_asks_for_something():
    for board in BOARDS:
        for panel in panels(board):
            assert panel["targets"], panel["title"]
            for target in panel["targets"]:
                asked = {"expr", "rawSql"} & target.keys()
                assert len(asked) == 1 and target[asked.pop()].strip(), panel["title"]


@pytest.mark.parametrize("statement, is_range", targets("rawSql"))
def test_every_statement_of_a_panel_finds_something(
    prometheus, cluster, statement, is_range
):
    sql = without_sql_macros(statement)
    done = cluster.psql("grafana", sql)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert len(lines) > 1, "nothing was found"
    if "date_bin" in sql:
        assert lines[0].split(",")[0] == "time", "a series needs its time"


@pytest.mark.parametrize("board", BOARDS)
def test_dashboards_are_whole(board):
    document = BOARDS[board]
    assert document["uid"] == board
    sources = (DEPLOY / "grafana/provisioning/datasources/sluice.yml").read_text()
    known = {
        (source["type"], source["uid"]) for source in yaml.safe_load(sources)["datasources"]}
    numbers = [panel["id"] for panel in document["panels"]]
    assert len(numbers) == len(set(numbers))
    taken = set()
    for panel in document["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y) for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and place["x"] + place["w"] <= 24, panel["title"]
        taken |= cells
        for target in panel.get("targets", []):
            source = target["datasource"]
            assert (source["type"], source["uid"]) in known


def test_every_metric_is_shown_somewhere(server):
    shown = " ".join(
        param.values[0] for param in targets("expr")) + " ".join(a["expr"] for a in ALERTS)
    families = re.findall(r"^# TYPE (\S+) ", server.metrics(), re.MULTILINE)
    assert len(families) > 50
    missing = [name for name in families if not re.search(rf"\b{name}(_|\b)", shown)]
    assert missing == []
