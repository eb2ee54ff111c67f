package dev.repartee.mcp.lsp;

import dev.repartee.RpcException;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.lsp.handlers.*;
import dev.repartee.lsp.types.*;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.message.RpcError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The client of a language server, without a user: answers the requests of the server as an editor
 * without a window does. Its methods never wait.
 */
final class Editor
    implements ApplyWorkspaceEditHandler,
        CodeLensRefreshHandler,
        ConfigurationHandler,
        DiagnosticRefreshHandler,
        FoldingRangeRefreshHandler,
        InlayHintRefreshHandler,
        InlineValueRefreshHandler,
        LogMessageHandler,
        ProgressHandler,
        PublishDiagnosticsHandler,
        RegistrationHandler,
        SemanticTokensRefreshHandler,
        ShowDocumentHandler,
        ShowMessageHandler,
        ShowMessageRequestHandler,
        TextDocumentContentRefreshHandler,
        UnregistrationHandler,
        WorkDoneProgressCreateHandler,
        WorkspaceFoldersHandler {
  /** The maximum number of activities that are stored at the same time. */
  private static final int MAX_ACTIVITIES = 100;

  private static final int LONGEST_TOKEN = 1_000;

  private final List<WorkspaceFolder> folders;
  private final @Nullable Json settings;
  private final Notices notices;
  private final Published published;
  private final Features features;
  private final Runnable changed;

  /** The titles of the activities of the server by token; guarded by this. */
  private final Map<ProgressToken, String> activities = new LinkedHashMap<>();

  /** {@code changed} runs when the features have changed. */
  Editor(
      List<WorkspaceFolder> folders,
      @Nullable Json settings,
      Notices notices,
      Published published,
      Features features,
      Runnable changed) {
    this.folders = folders;
    this.settings = settings;
    this.notices = notices;
    this.published = published;
    this.features = features;
    this.changed = changed;
  }

  // ---------------------------------------------------------------- requests of the server

  @Override
  public List<Json> configuration(ConfigurationParams params) {
    return params.items().stream().map(item -> setting(item.section())).toList();
  }

  /** Returns the settings of a section such as {@code python.analysis}, or null. */
  private Json setting(@Nullable String section) {
    Json value = settings;
    if (section != null && !section.isEmpty()) {
      for (String name : section.split("\\.")) {
        value = value == null ? null : value.get(name);
      }
    }
    return value == null ? Json.NULL : value;
  }

  @Override
  public List<WorkspaceFolder> workspaceFolders() {
    return folders;
  }

  @Override
  public void registration(RegistrationParams params) {
    for (Registration registration : params.registrations()) {
      if (!features.register(registration)) {
        throw new RpcException(RpcError.INVALID_REQUEST, "too many registrations");
      }
    }
    changed.run();
  }

  @Override
  public void unregistration(UnregistrationParams params) {
    params.unregisterations().forEach(each -> features.unregister(each.id()));
    changed.run();
  }

  @Override
  public ApplyWorkspaceEditResult applyWorkspaceEdit(ApplyWorkspaceEditParams params) {
    return new ApplyWorkspaceEditResult(false, "this client changes no files", null);
  }

  @Override
  public @Nullable MessageActionItem showMessageRequest(ShowMessageRequestParams params) {
    log(params.type(), params.message());
    return null;
  }

  @Override
  public ShowDocumentResult showDocument(ShowDocumentParams params) {
    return new ShowDocumentResult(false);
  }

  @Override
  public void workDoneProgressCreate(WorkDoneProgressCreateParams params) {
    // Tokens are kept while there is progress.
  }

  @Override
  public void codeLensRefresh() {}

  @Override
  public void diagnosticRefresh() {}

  @Override
  public void foldingRangeRefresh() {}

  @Override
  public void inlayHintRefresh() {}

  @Override
  public void inlineValueRefresh() {}

  @Override
  public void semanticTokensRefresh() {}

  @Override
  public void textDocumentContentRefresh(TextDocumentContentRefreshParams params) {}

  // ---------------------------------------------------------------- notifications of the server

  @Override
  public void publishDiagnostics(PublishDiagnosticsParams params) {
    published.put(params);
  }

  @Override
  public void logMessage(LogMessageParams params) {
    log(params.type(), params.message());
  }

  @Override
  public void showMessage(ShowMessageParams params) {
    log(params.type(), params.message());
  }

  private void log(MessageType type, String message) {
    LogLevel level = type.equals(MessageType.ERROR)
        ? LogLevel.ERROR
        : type.equals(MessageType.WARNING)
            ? LogLevel.WARNING
            : type.equals(MessageType.INFO) ? LogLevel.INFO : LogLevel.DEBUG;
    notices.log(level, message);
  }

  @Override
  public void progress(ProgressParams params) {
    Json value = params.value();
    String title;
    synchronized (this) {
      if ("begin".equals(value.string("kind"))
          && activities.size() < MAX_ACTIVITIES
          && isShort(params.token())) {
        activities.put(params.token(), Text.shortened(String.valueOf(value.string("title")), 200));
      }
      title = "end".equals(value.string("kind"))
          ? activities.remove(params.token())
          : activities.get(params.token());
    }
    if (title != null) {
      String message = value.string("message");
      Json percentage = value.get("percentage");
      notices.progress(title
          + (message == null ? "" : ": " + message)
          + (percentage == null || percentage.kind() != Json.Kind.NUMBER
              ? ""
              : " (" + percentage + " %)"));
    }
  }

  private static boolean isShort(ProgressToken token) {
    return !(token instanceof ProgressToken.OfString text)
        || text.value().length() <= LONGEST_TOKEN;
  }

  /** Returns the title of a background activity of the server, or null. */
  synchronized @Nullable String activity() {
    return activities.isEmpty() ? null : activities.values().iterator().next();
  }
}
