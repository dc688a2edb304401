//! The protocol's side: lists, calls with progress and cancellation, and the client's roots.

use super::args::McpSettings;
use super::bench::Benches;
use super::listen::Listener;
use super::resources;
use super::roots::{Granted, names_a_folder};
use super::tools::{self, Name};
use super::work::{Request, Shared};
use crate::cli::error::Failure;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, InputRequest,
    InputRequests, InputRequiredResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, RequestNoParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;

/// How long a client may take to list its roots.
const PATIENCE: Duration = Duration::from_secs(10);
/// The name under which a newer client is asked for its roots.
const ROOTS: &str = "roots";

const INSTRUCTIONS: &str = "Finds causes of failing tests and judges patches by running the tests in a sandbox. A \
    patch is plausible only when `judge_patch` says so. Projects are named by their full path and are never changed.";

/// The server of one client.
pub(super) struct Server {
    shared: Arc<Shared>,
    granted: Granted,
    /// The roots that the client listed last, for requests that cannot ask.
    listed: Mutex<Option<Granted>>,
    /// Whether anybody on this machine may be the client.
    is_http: bool,
}

impl Server {
    /// A server with the settings of its host.
    pub(super) fn new(settings: McpSettings, granted: Granted, is_http: bool) -> Self {
        let shared = Arc::new(Shared { settings, benches: Benches::default() });
        Self { shared, granted, listed: Mutex::default(), is_http }
    }

    /// The same for another client.
    pub(super) fn another(&self) -> Self {
        let (shared, granted) = (self.shared.clone(), self.granted.clone());
        Self { shared, granted, listed: Mutex::default(), is_http: self.is_http }
    }

    fn now_granted(&self) -> Granted {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.as_ref().unwrap_or(&self.granted).clone()
    }

    fn note(&self, addresses: &[String]) -> Granted {
        let granted = self.granted.and_client(addresses);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(granted.clone());
        granted
    }

    /// What is granted for a call, or what the client must be asked first.
    async fn roots(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<Granted, InputRequiredResult>, ErrorData> {
        let named = params.arguments.as_ref().and_then(|args| args.get("bug")).and_then(Value::as_str);
        let lists = context.client_capabilities().is_some_and(|client| client.roots.is_some());
        if !lists || !named.is_some_and(names_a_folder) {
            return Ok(Ok(self.granted.clone()));
        }
        let asks_back = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let listed = if asks_back {
            match params.input_responses.as_ref().and_then(|answers| answers.get(ROOTS)) {
                Some(answer) => answer.clone(),
                None => return Ok(Err(question())),
            }
        } else {
            ask(context).await?
        };
        let uri = |root: &Value| root["uri"].as_str().map(str::to_owned);
        let addresses: Vec<String> = listed["roots"].as_array().into_iter().flatten().filter_map(uri).collect();
        Ok(Ok(self.note(&addresses)))
    }

    /// Does a call, tells how far it is, and ends it where the client cancels.
    async fn called(
        &self,
        tool: Name,
        args: Value,
        granted: Granted,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, Failure> {
        let (send, mut messages) = unbounded_channel();
        let listener = Listener::default();
        listener.send_to(Some(send));
        let bug = move |text: &str| granted.bug(text);
        let request = Request { shared: &self.shared, bug: &bug, listener: listener.clone() };
        let mut work = Box::pin(request.call(tool, args));
        let token = context.meta.get_progress_token();
        let mut so_far = 0.0;
        loop {
            tokio::select! {
                biased;
                // Dropping the work ends its processes; what it has written in a run directory is kept.
                () = context.ct.cancelled() => return Err(Failure::interrupted("the request was cancelled")),
                outcome = &mut work => return outcome,
                Some(message) = messages.recv() => if let Some(token) = &token {
                    so_far += 1.0;
                    let progress = ProgressNotificationParam::new(token.clone(), so_far).with_message(message);
                    // A client that does not listen may still want the result.
                    let _ = context.peer.notify_progress(progress).await;
                },
            }
        }
    }
}

/// What a newer client is asked before the call is made again.
fn question() -> InputRequiredResult {
    let request = InputRequest::ListRoots(RequestNoParam::default());
    InputRequiredResult::from_input_requests(InputRequests::from([(ROOTS.to_owned(), request)]))
}

/// Asks an older client for its roots.
#[expect(deprecated, reason = "the protocol gives roots up, and hosts of today list them")]
async fn ask(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    let wrong = |what: String| ErrorData::invalid_request(format!("the client did not list its roots: {what}"), None);
    let listed = tokio::time::timeout(PATIENCE, context.peer.list_roots()).await;
    let listed = listed.map_err(|_| wrong("no answer".into()))?.map_err(|error| wrong(error.to_string()))?;
    serde_json::to_value(listed).map_err(|error| wrong(error.to_string()))
}

fn failed(failure: &Failure) -> CallToolResult {
    let text = format!("error: {}\nhint: {}", failure.message, failure.hint);
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(failure.object());
    result
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let own = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(own).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = Name::of(&params.name);
        let tool = tool.ok_or_else(|| ErrorData::invalid_params(format!("no tool `{}`", params.name), None))?;
        let granted = match self.roots(&params, &context).await? {
            Ok(granted) => granted,
            Err(question) => return Ok(question.into()),
        };
        let args = Value::Object(params.arguments.unwrap_or_default());
        let outcome = self.called(tool, args, granted, &context).await;
        Ok(outcome.map_or_else(|failure| failed(&failure), CallToolResult::structured).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(&self.now_granted())))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = resources::read(&params.uri, &self.now_granted());
        let contents = contents.map_err(|failure| ErrorData::resource_not_found(failure.message, None))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
