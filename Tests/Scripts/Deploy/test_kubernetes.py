"""The manifests, checked against Kubernetes' schemas and against each other."""

import re
import shutil

import pytest
import yaml
from programs import DEPLOY, ask, run

PLACE = DEPLOY / "kubernetes"
VERSION = "1.33"
MANIFESTS = [
    "config.yaml", "secret.example.yaml", "service.yaml", "statefulset.yaml",
    "disruption-budget.yaml", "autoscaler.yaml"]


def documents(name):
    return [document for document in yaml.safe_load_all((PLACE / name).read_text()) if document]


ALL = [document for name in MANIFESTS for document in documents(name)]


def one(kind, name="sluice"):
    found = [d for d in ALL if d["kind"] == kind and d["metadata"]["name"] == name]
    assert len(found) == 1, f"{kind} {name}: {len(found)}"
    return found[0]


STATEFUL = one("StatefulSet")["spec"]
POD = STATEFUL["template"]["spec"]
CONTAINER = POD["containers"][0]
LABELS = STATEFUL["template"]["metadata"]["labels"]


@pytest.mark.parametrize("name", MANIFESTS)
def test_each_manifest_is_what_kubernetes_takes(name):
    run("kubernetes-validate", "-k", VERSION, "--strict", PLACE / name)


def test_the_kustomization_has_all_but_the_secret():
    resources = documents("kustomization.yaml")[0]["resources"]
    assert set(resources) == set(MANIFESTS) - {"secret.example.yaml"}
    images = [image["name"] for image in documents("kustomization.yaml")[0]["images"]]
    assert images == [CONTAINER["image"]]


@pytest.mark.skipif(not shutil.which("kubectl"), reason="kubectl is not here")
def test_kubectl_builds_it():
    built = list(yaml.safe_load_all(run("kubectl", "kustomize", PLACE).stdout))
    assert {d["metadata"]["namespace"] for d in built} == {"sluice"}
    assert len(built) == len(ALL) - 1


def test_selectors_find_the_pods():
    assert STATEFUL["selector"]["matchLabels"].items() <= LABELS.items()
    for document in ALL:
        selector = document.get("spec", {}).get("selector", {})
        selector = selector.get("matchLabels", selector)
        assert selector.items() <= LABELS.items(), document["metadata"]["name"]
    for constraint in POD["topologySpreadConstraints"]:
        assert constraint["labelSelector"]["matchLabels"].items() <= LABELS.items()
    assert one("Service", STATEFUL["serviceName"])["spec"]["clusterIP"] == "None"


def test_ports_are_the_containers():
    ports = {port["name"]: port["containerPort"] for port in CONTAINER["ports"]}
    for document in ALL:
        if document["kind"] == "Service":
            for port in document["spec"]["ports"]:
                assert port["targetPort"] in ports
    dockerfile = (DEPLOY / "docker/Dockerfile").read_text()
    port = int(re.search(r"SLUICE_PORT=(\d+)", dockerfile)[1])
    assert ports["http"] == port
    annotations = STATEFUL["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(port)


def test_probes_ask_for_what_they_are_about(server):
    paths = {}
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"]:
        asked = CONTAINER[probe]["httpGet"]
        assert asked["port"] in {port["name"] for port in CONTAINER["ports"]}
        assert ask(server.url + asked["path"])[0] == 200
        paths[probe] = asked["path"]
    # /readyz is 503 while the database is unreachable and the spool is full: no reason to
    # restart.
    assert paths == {
        "startupProbe": "/livez", "readinessProbe": "/readyz", "livenessProbe": "/livez"}


def test_configuration_and_secret_are_those_that_are_there():
    for source in CONTAINER["envFrom"]:
        for key, kind in [("configMapRef", "ConfigMap"), ("secretRef", "Secret")]:
            if key in source:
                one(kind, source[key]["name"])
    secrets = set(one("Secret")["stringData"])
    assert secrets & set(one("ConfigMap")["data"]) == set()
    assert "SLUICE_DATABASE_URL" in secrets


def test_the_pod_gets_its_time_and_its_volume():
    drain = int(one("ConfigMap")["data"]["SLUICE_SHUTDOWN_WITHIN"].rstrip("s"))
    pause = int(CONTAINER["lifecycle"]["preStop"]["exec"]["command"][-1])
    assert POD["terminationGracePeriodSeconds"] >= pause + drain + 15 + 10
    mounts = {mount["name"]: mount["mountPath"] for mount in CONTAINER["volumeMounts"]}
    claims = {claim["metadata"]["name"] for claim in STATEFUL["volumeClaimTemplates"]}
    volumes = {volume["name"] for volume in POD["volumes"]}
    assert set(mounts) == claims | volumes
    dockerfile = (DEPLOY / "docker/Dockerfile").read_text()
    assert mounts["data"] == re.search(r"SLUICE_DATA_DIR=(\S+)", dockerfile)[1]
    user = re.search(r"^USER (\d+)", dockerfile, re.MULTILINE)[1]
    assert POD["securityContext"]["runAsUser"] == int(user)


def test_the_autoscaler_asks_for_the_metric_that_the_adapter_makes(server):
    scaler = one("HorizontalPodAutoscaler")["spec"]
    target = scaler["scaleTargetRef"]
    assert one(target["kind"], target["name"])["apiVersion"] == target["apiVersion"]
    assert "replicas" not in STATEFUL
    assert one("PodDisruptionBudget")["spec"]["maxUnavailable"] < scaler["minReplicas"]
    rules = documents("prometheus-adapter.yaml")[0]["rules"]["custom"]
    names = {rule["name"]["as"] for rule in rules}
    page = server.metrics()
    for metric in scaler["metrics"]:
        assert metric["pods"]["metric"]["name"] in names
    for rule in rules:
        for name in re.findall(r"\bsluice_lane\w+?(?=\{)", rule["metricsQuery"]):
            assert f"# TYPE {name} gauge" in page
