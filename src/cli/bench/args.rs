//! What was typed behind `unidebug bench`, but for measurements without runs.

use super::measured::{BenchLocalizationArgs, BenchTwinArgs, MeasuredArgs};
use crate::batch::{Shard, Volume};
use crate::cli::choice::ChoiceArgs;
use crate::cli::config::{Dollars, Time};
use crate::domain::InvalidValue;
use crate::llm::{Account, Mailbox};
use camino::Utf8PathBuf;
use clap::{Args, Subcommand, ValueEnum};
use std::str::FromStr;
use std::sync::Arc;

/// What is done with many bugs.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Run many bugs; the same command goes on with a batch that was stopped.
    Run(Box<BenchRunArgs>),
    /// How far a batch is.
    Status(BenchFolderArgs),
    /// Watch a batch, on the terminal or as a page that this machine serves to itself.
    Watch(BenchWatchArgs),
    /// Let what the environment failed be tried again, and hand in what is left.
    Resubmit(BenchResubmitArgs),
    /// Do a part of a batch: what schedulers start.
    Work(BenchWorkArgs),
    /// Bring parts of a batch together that were worked on apart.
    Merge(BenchMergeArgs),
    /// Pack what is over into one file that others check with `unidebug replay`.
    Pack(BenchPackArgs),
    /// How early rankings name what developers changed: Top-n by line, method and file, EXAM, first rank.
    Localization(BenchLocalizationArgs),
    /// Whether first prompts hold every method that developers changed, and at how many tokens.
    Context(MeasuredArgs),
    /// Make twins of bugs: other names, other words, another order, the same failing tests. What a model repairs of the
    /// originals and not of their twins it may have learnt by heart.
    Twin(BenchTwinArgs),
}

/// `bench run`.
#[derive(Debug, Args)]
#[command(after_help = PLAN_HELP)]
pub(crate) struct BenchRunArgs {
    /// Sets of bugs (`fixtures`, `quixbugs-java:*`, `defects4j:Lang-1..9`, `d4j-2.0`, one id), or one plan file that ends
    /// in `.toml`.
    #[arg(value_name = "SET", required = true)]
    pub sets: Vec<String>,
    /// Which of them.
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// The batch's folder; the same command goes on with a batch that was stopped.
    #[arg(long, value_name = "DIR")]
    pub out: Utf8PathBuf,
    /// How often each bug is run; once when absent.
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,
    /// Who does the work: `local` when absent.
    #[arg(long, value_enum)]
    pub executor: Option<ExecutorArg>,
    /// How it is spread.
    #[command(flatten)]
    pub spread: SpreadArgs,
    /// Most US dollars for all bugs together; `--max-cost` behind `--` caps each. Typed again with more, the batch goes on.
    #[arg(long, value_name = "USD")]
    pub total_cost: Option<Dollars>,
    /// Most tokens for all bugs together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub total_tokens: Option<u64>,
    /// Wall time after which this command begins no other bug.
    #[arg(long, value_name = "TIME")]
    pub total_time: Option<Time>,
    /// Send what models are asked as batches of OpenAI's or Anthropic's, at half the price: for `--strategy direct` or
    /// `lite` and for `--levels L1`. Answers take minutes to a day; the same command goes on after days, too.
    #[arg(long)]
    pub batch: bool,
    /// Between two looks at a batch of the vendor's.
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "batch")]
    pub batch_pause: Time,
    /// Print one JSON object to stdout, as `bench status` has it.
    #[arg(long)]
    pub json: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Behind `--`: what is typed behind `unidebug run BUG`, the same for all.
    #[arg(last = true, value_name = "RUN FLAGS")]
    pub args: Vec<String>,
}

const PLAN_HELP: &str = "A plan file:\n\n  bugs = [\"fixtures\", \"d4j-2.0\"]\n  repetitions = 2\n\n  # Of these, what the flags of \
                         the same names choose:\n  project = [\"Lang\", \"Math\"]\n  kind = [\"single-line\"]\n  \
                         since = \"2024-05-31\"\n  sample = 20\n  per_project = \"1..15\"\n  seed = 1\n\n  \
                         [[configuration]]\n  name = \"engine\"\n  args = [\"--model\", \"builtin\"]\n\n  \
                         [[configuration]]\n  name = \"lite\"\n  args = [\"--model\", \"gpt-4o-mini\", \"--strategy\", \"lite\"]";

/// How a batch is spread over processors and machines.
#[derive(Debug, Args)]
pub(crate) struct SpreadArgs {
    /// Into how many parts the batch is cut for `slurm`, `kubernetes` and `shards`.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pub shards: u16,
    /// What each machine does.
    #[command(flatten)]
    pub each: WorkerArgs,
    /// A further option of `sbatch`, as `--sbatch-arg=--partition=cpu`; may be repeated.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub sbatch_arg: Vec<String>,
    /// The pods of `kubernetes`.
    #[command(flatten)]
    pub pod: PodArgs,
}

/// What a pod is made of.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Kubernetes")]
pub(crate) struct PodArgs {
    /// Image with this program as `unidebug` on its PATH; docs/Containerfile makes one.
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,
    /// What pods see: a claim, or a folder of the node. The batch's folder must lie in one, at the path that it has here;
    /// may be repeated.
    #[arg(long, value_name = "CLAIM|/DIR:/DIR")]
    pub volume: Vec<Volume>,
    /// A secret whose values become variables, as the model's key; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub secret: Vec<String>,
    /// Memory of a pod: `4Gi`.
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

/// How one machine works.
#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// Bugs at a time on one machine.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// How long a bug that the environment failed is left alone before its second try; before the third, four times as long.
    #[arg(long, value_name = "TIME", default_value = "15s")]
    pub retry_pause: Time,
}

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExecutorArg {
    /// This machine, now.
    Local,
    /// An array of jobs that `sbatch` takes; the folder must be seen by all nodes.
    Slurm,
    /// Nobody: an Indexed Job is printed as JSON, for `kubectl create -f -`.
    Kubernetes,
    /// Nobody: the commands are printed, one a line.
    Shards,
}

/// `bench work`.
#[derive(Debug, Args)]
pub(crate) struct BenchWorkArgs {
    /// The batch's folder.
    #[arg(value_name = "BATCH")]
    pub batch: Utf8PathBuf,
    /// Which part: `2/8`. All without.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<ShardArg>,
    /// How this machine works.
    #[command(flatten)]
    pub each: WorkerArgs,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `bench resubmit`.
#[derive(Debug, Args)]
pub(crate) struct BenchResubmitArgs {
    /// The batch's folder.
    #[arg(value_name = "BATCH")]
    pub batch: Utf8PathBuf,
    /// Who does at once what is left; nobody when absent.
    #[arg(long, value_enum)]
    pub executor: Option<ExecutorArg>,
    /// How it is spread.
    #[command(flatten)]
    pub spread: SpreadArgs,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long, conflicts_with = "executor")]
    pub json: bool,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `bench watch`.
#[derive(Debug, Args)]
pub(crate) struct BenchWatchArgs {
    /// The batch's folder.
    #[arg(value_name = "BATCH")]
    pub batch: Utf8PathBuf,
    /// As a page on this machine's loopback; it can only be read.
    #[arg(long)]
    pub serve: bool,
    /// The port; a free one when absent.
    #[arg(long, value_name = "PORT", default_value_t = 0, requires = "serve")]
    pub port: u16,
}

/// `bench status`.
#[derive(Debug, Args)]
pub(crate) struct BenchFolderArgs {
    /// The batch's folder.
    #[arg(value_name = "BATCH")]
    pub batch: Utf8PathBuf,
    /// Print one JSON object to stdout, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// `bench pack`.
#[derive(Debug, Args)]
pub(crate) struct BenchPackArgs {
    /// The batch's folder.
    #[arg(value_name = "BATCH")]
    pub batch: Utf8PathBuf,
    /// The archive: `artifact.tar.gz`.
    #[arg(long, value_name = "FILE")]
    pub out: Utf8PathBuf,
}

/// `bench merge`.
#[derive(Debug, Args)]
pub(crate) struct BenchMergeArgs {
    /// Folders of the same plan, worked on apart.
    #[arg(value_name = "BATCH", required = true)]
    pub parts: Vec<Utf8PathBuf>,
    /// The folder that takes what is over, and what has begun nowhere else.
    #[arg(long, value_name = "DIR")]
    pub out: Utf8PathBuf,
}

/// `FOLDER:RUN`, read.
#[derive(Debug, Clone)]
pub(crate) struct AccountArg {
    folder: Utf8PathBuf,
    run: String,
}

impl FromStr for AccountArg {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let (folder, run) = text.rsplit_once(':').ok_or("an account is `FOLDER:RUN`")?;
        Ok(Self { folder: folder.into(), run: run.into() })
    }
}

impl AccountArg {
    /// The run's access to it.
    pub(crate) fn open(&self, allow_unpriced: bool) -> Arc<Account> {
        Arc::new(Account::of(&self.folder, &self.run, allow_unpriced))
    }
}

/// `FOLDER:RUN`, read: where the requests of a run are left.
#[derive(Debug, Clone)]
pub(crate) struct RequestsArg(Mailbox);

impl FromStr for RequestsArg {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let (folder, run) = text.rsplit_once(':').ok_or("a folder of requests is `FOLDER:RUN`")?;
        Ok(Self(Mailbox::of(folder.into(), run)))
    }
}

/// The batch that a run belongs to; the batch's own use.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OfBatchArgs {
    /// The account that the run draws on.
    #[arg(long, hide = true, value_name = "FOLDER:RUN")]
    pub account: Option<AccountArg>,
    /// The folder in which its requests wait for the vendor's next batch.
    #[arg(long, hide = true, value_name = "FOLDER:RUN")]
    pub requests: Option<RequestsArg>,
}

/// What a run has of the batch that it belongs to.
#[derive(Clone, Default)]
pub(crate) struct OfBatch {
    /// The account that it draws on.
    pub account: Option<Arc<Account>>,
    /// Where its requests are left, when they are not sent at once.
    pub requests: Option<Mailbox>,
}

impl OfBatchArgs {
    /// The run's access to it.
    pub(crate) fn open(&self, allow_unpriced: bool) -> OfBatch {
        OfBatch {
            account: self.account.as_ref().map(|account| account.open(allow_unpriced)),
            requests: self.requests.as_ref().map(|requests| requests.0.clone()),
        }
    }
}

/// `K/N`, read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShardArg(pub Shard);

impl FromStr for ShardArg {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let read = || {
            let (at, of) = text.split_once('/')?;
            let (at, of) = (at.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&at).then_some(Self(Shard { at, of }))
        };
        read().ok_or_else(|| "a part is `K/N` with 1 <= K <= N".into())
    }
}
