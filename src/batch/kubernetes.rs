//! A batch on Kubernetes: one Indexed Job, an index for each part that has something left. What a pod does is read from
//! the batch's folder, so a pod that is killed, evicted or started twice does no harm.

use super::{BatchError, Plan, Spread, left};
use crate::domain::InvalidValue;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::str::FromStr;

/// How often an index is tried again before the Job gives it up.
const RETRIES: u32 = 6;
/// Seconds between the signal that ends a pod and its end: longer than a worker waits for answers on their way.
const GRACE: u32 = 180;
/// The container's name, which the failure policy names too.
const CONTAINER: &str = "unidebug";
/// Exit code of a worker whose part another process has: it is tried again later.
const LATER: u8 = 75;
/// Exit codes that another try does not change: what was typed, what is missing, the model's key.
const FOR_GOOD: [u8; 3] = [2, 3, 4];

/// What a pod is made of.
#[derive(Debug, Clone)]
pub(crate) struct Pod {
    /// The image that holds this program and what it needs.
    pub image: String,
    /// What is mounted.
    pub volumes: Vec<Volume>,
    /// Secrets whose values become variables: the model's key.
    pub secrets: Vec<String>,
    /// Variables that decide settings where the Job is made, and so in its pods.
    pub variables: Vec<(String, String)>,
    /// Memory of a pod, as `4Gi`.
    pub memory: Option<String>,
}

/// Something that is mounted in a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Volume {
    /// A claim, or with a leading slash a folder of the node.
    pub source: String,
    /// Where it lies in the pod.
    pub mount: Utf8PathBuf,
}

impl FromStr for Volume {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let parts = text.rsplit_once(':').filter(|(source, mount)| !source.is_empty() && mount.starts_with('/'));
        let (source, mount) = parts.ok_or("a volume is `CLAIM:/FOLDER`, or `/FOLDER/OF/NODE:/FOLDER`")?;
        Ok(Self { source: source.to_owned(), mount: mount.into() })
    }
}

/// The Job that does what is left; `None` when nothing is.
///
/// # Errors
/// No volume holds the batch's folder.
pub(crate) fn job(spread: &Spread, pod: &Pod, plan: &Plan) -> Result<Option<Value>, BatchError> {
    let folder = &spread.folder;
    if !pod.volumes.iter().any(|volume| folder.starts_with(&volume.mount)) {
        let what = format!("no volume holds the batch's folder {folder}: pods would not see it");
        return Err(BatchError::Volume { what });
    }
    let tasks = left(folder, plan, spread.shards);
    Ok((!tasks.is_empty()).then(|| object(spread, pod, &tasks)))
}

fn object(spread: &Spread, pod: &Pod, tasks: &[usize]) -> Value {
    let labels = json!({"app.kubernetes.io/name": "unidebug"});
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        // A Job cannot be changed: what is left later is another one.
        "metadata": {"generateName": "unidebug-", "labels": labels},
        "spec": {
            "completionMode": "Indexed",
            "completions": tasks.len(),
            "parallelism": tasks.len(),
            "backoffLimitPerIndex": RETRIES,
            "maxFailedIndexes": tasks.len(),
            "podFailurePolicy": {"rules": [
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                {"action": "FailIndex",
                 "onExitCodes": {"containerName": CONTAINER, "operator": "In", "values": FOR_GOOD}},
                {"action": "Count", "onExitCodes": {"containerName": CONTAINER, "operator": "In", "values": [LATER]}},
            ]},
            "template": {"metadata": {"labels": labels}, "spec": {
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": GRACE,
                // The pod's own first process takes over what the tests leave.
                "shareProcessNamespace": true,
                "containers": [container(spread, pod, tasks)],
                "volumes": pod.volumes.iter().enumerate().map(|(nth, volume)| source(nth, volume)).collect::<Vec<_>>(),
            }},
        },
    })
}

fn container(spread: &Spread, pod: &Pod, tasks: &[usize]) -> Value {
    let mut resources = json!({"requests": {"cpu": (spread.jobs * 2).to_string()}});
    if let Some(memory) = &pod.memory {
        resources["requests"]["memory"] = json!(memory);
        resources["limits"] = json!({"memory": memory});
    }
    let mounts = pod.volumes.iter().enumerate();
    let mounts = mounts.map(|(nth, volume)| json!({"name": name(nth), "mountPath": volume.mount}));
    let secrets = pod.secrets.iter().map(|name| json!({"secretRef": {"name": name}}));
    let variables = pod.variables.iter().map(|(name, value)| json!({"name": name, "value": value}));
    json!({
        "name": CONTAINER,
        "image": pod.image,
        "command": ["/bin/sh", "-c", script(spread, tasks)],
        "env": variables.collect::<Vec<_>>(),
        "envFrom": secrets.collect::<Vec<_>>(),
        "resources": resources,
        "volumeMounts": mounts.collect::<Vec<_>>(),
    })
}

/// The part of this index is one of those with something left. The worker takes the shell's place, so that the signal
/// before an eviction reaches it: it saves what is paid for and stops.
fn script(spread: &Spread, tasks: &[usize]) -> String {
    let Spread { program, folder, shards, jobs, pause, .. } = spread;
    let quoted = |text: &Utf8Path| shlex::try_quote(text.as_str()).map_or_else(|_| text.to_string(), Into::into);
    let tasks: Vec<String> = tasks.iter().map(usize::to_string).collect();
    format!(
        "set -- {}; shift \"$JOB_COMPLETION_INDEX\"; \
         exec {} bench work {} --shard \"$1/{shards}\" --jobs {jobs} --retry-pause {}s --quiet",
        tasks.join(" "),
        quoted(program),
        quoted(folder),
        pause.as_secs_f64(),
    )
}

fn name(nth: usize) -> String {
    format!("volume-{}", nth + 1)
}

fn source(nth: usize, volume: &Volume) -> Value {
    if volume.source.starts_with('/') {
        json!({"name": name(nth), "hostPath": {"path": volume.source}})
    } else {
        json!({"name": name(nth), "persistentVolumeClaim": {"claimName": volume.source}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::batch::v1::Job;
    use std::time::Duration;

    #[test]
    fn the_job_is_one_by_the_types_of_kubernetes() {
        let spread = Spread {
            program: "unidebug".into(),
            folder: "/data/a b".into(),
            shards: 8,
            jobs: 2,
            pause: Duration::from_secs(15),
            options: Vec::new(),
        };
        let volumes = vec!["work:/data".parse().unwrap(), "/opt/sets:/sets".parse().unwrap()];
        let variables = vec![("UNIDEBUG_SEED".to_owned(), "7".to_owned())];
        let pod = Pod {
            image: "x/unidebug:1".into(),
            volumes,
            secrets: vec!["key".into()],
            variables,
            memory: Some("4Gi".into()),
        };
        let made = object(&spread, &pod, &[2, 5]);
        let job: Job = serde_json::from_value(made.clone()).unwrap();
        // What no type knows would be lost on the way there and back.
        assert_eq!(serde_json::to_value(&job).unwrap(), made);
        let spec = job.spec.unwrap();
        assert_eq!((spec.completions, spec.backoff_limit_per_index), (Some(2), Some(6)));
        let container = spec.template.spec.unwrap().containers.remove(0);
        let variables = container.env.unwrap();
        assert_eq!((&*variables[0].name, variables[0].value.as_deref()), ("UNIDEBUG_SEED", Some("7")));
        let command = container.command.unwrap();
        let wanted = "set -- 2 5; shift \"$JOB_COMPLETION_INDEX\"; exec unidebug bench work '/data/a b' --shard \"$1/8\" --jobs 2 --retry-pause 15s --quiet";
        assert_eq!(command[2], wanted);
    }

    #[test]
    fn a_volume_is_a_claim_or_a_folder_of_the_node() {
        let volume: Volume = "/a:b:/c".parse().unwrap();
        assert_eq!((volume.source.as_str(), volume.mount.as_str()), ("/a:b", "/c"));
        for wrong in ["claim", ":/c", "claim:relative", ""] {
            assert!(wrong.parse::<Volume>().is_err(), "{wrong}");
        }
    }
}
