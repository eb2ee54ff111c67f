package dev.repartee.agents.kinds;

import dev.repartee.Options;
import dev.repartee.acp.AcpClient;
import dev.repartee.acp.ClientSession;
import dev.repartee.acp.PermissionQuestion;
import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.Implementation;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.RequestPermissionOutcome;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCall;
import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An agent of the Agent Client Protocol. Its only skill answers a prompt. Each task is a turn in a
 * separate session. The next task restarts a process that has ended.
 */
final class AcpAgent implements Agent {
  private static final String PROMPT = "prompt";

  /** The maximum number of characters of the output of a task. */
  private static final int MOST_CHARS = 8 << 20;

  private final String name;
  private final String endpoint;
  private final Options options;
  private final RunningTasks running;

  /** The running tasks by the ids of their sessions; a question names its session. */
  private final Map<String, Task> sessions = new ConcurrentHashMap<>();

  // Guarded by this.
  private AcpClient client;
  private boolean closed;

  private AcpAgent(String name, String endpoint, AgentConnector settings) throws IOException {
    this.name = name;
    this.endpoint = endpoint;
    this.running = new RunningTasks(name);
    Options given = settings.options();
    Options.Builder own =
        dev.repartee.acp.AcpAgent.options().limits(given.limits()).listener(given.listener());
    given.headers().fields().forEach(own::header);
    given.layers().forEach(own::layer);
    given.callLayers().forEach(own::callLayer);
    if (given.trace() != null) {
      own.trace(given.trace());
    }
    this.options = running.watching(own.build());
    this.client = connect();
  }

  static AcpAgent connect(String name, String endpoint, AgentConnector settings)
      throws IOException {
    return new AcpAgent(name, endpoint, settings);
  }

  private AcpClient connect() throws IOException {
    return AcpClient.builder("repartee-agents", "1")
        .options(options)
        .permissions(this::ask)
        .connect(endpoint);
  }

  /** Returns the client. Connects again, or restarts the process, if the connection has ended. */
  private synchronized AcpClient client() throws IOException {
    if (closed) {
      throw new AgentException(Failure.Kind.LOST, "the agent '" + name + "' is closed");
    } else if (!client.peer().isOpen()) {
      client.close();
      client = connect();
    }
    return client;
  }

  private RequestPermissionOutcome ask(PermissionQuestion question) {
    Task task = sessions.get(question.sessionId());
    if (task == null) {
      return question.reject();
    }
    String title = question.toolCall().title();
    String tool = title == null ? question.toolCall().toolCallId() : title;
    PermissionOption once = question.options().stream()
        .filter(option -> option.kind().equals(PermissionOptionKind.ALLOW_ONCE))
        .findFirst()
        .orElse(null);
    if (once == null) {
      task.progress(Progress.of("the permission for '" + tool
          + "' was refused: the agent asks for a standing permission only"));
      return question.reject();
    }
    CompletableFuture<Answer> answer = task.ask(
            name, "May '" + tool + "' run? Yes chooses '" + once.name() + "'.", null)
        .toCompletableFuture();
    question.onCancel(() -> answer.complete(Answer.refused("the turn has ended")));
    return answer.join().granted() ? question.select(once.optionId()) : question.reject();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized String description() {
    Implementation info = client.info();
    return info == null ? "" : info.title() == null ? info.name() : info.title();
  }

  @Override
  public List<Skill> skills() {
    return List.of(new Skill(PROMPT, "Answers a prompt", null, null));
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    if (task.skill() != null && !task.skill().equals(PROMPT)) {
      return CompletableFuture.failedFuture(new AgentException(
          Failure.Kind.INPUT, "the agent '" + name + "' has the skill 'prompt' only"));
    }
    CompletableFuture<Json> output = running.add(task);
    Workers.run(output, () -> {
      try {
        begin(task, output);
      } catch (IOException e) {
        output.completeExceptionally(e);
      }
    });
    return output;
  }

  private void begin(Task task, CompletableFuture<Json> output) throws IOException {
    ClientSession session = client().newSession(Path.of("").toAbsolutePath().toString());
    if (output.isDone()) { // cancelled while the session was created
      close(session);
      return;
    }
    sessions.put(session.id(), task);
    output.whenComplete((json, failure) -> sessions.remove(session.id()));
    Json input = task.input();
    String prompt = input.text();
    StringBuffer text = new StringBuffer();
    CompletableFuture<PromptResponse> turn = session.promptAsync(
        List.of(new TextContent(prompt)), update -> updated(update, text, task, output));
    output.whenComplete((json, failure) -> {
      if (!turn.isDone()) {
        session.cancel();
      }
    });
    turn.whenComplete((end, failure) -> {
      if (failure != null) {
        output.completeExceptionally(failure);
      } else {
        ended(end.stopReason(), text.toString(), output);
      }
      Workers.ALL.execute(() -> close(session));
    });
  }

  private static void updated(
      SessionUpdate update, StringBuffer text, Task task, CompletableFuture<Json> output) {
    if (update instanceof AgentMessageChunk chunk && chunk.content() instanceof TextContent part) {
      text.append(part.text());
      if (text.length() > MOST_CHARS) {
        text.setLength(0);
        output.completeExceptionally(new AgentException(
            Failure.Kind.PROTOCOL,
            "the answer has more than " + (MOST_CHARS >> 20) + " Mi characters"));
      }
    } else if (update instanceof ToolCall call) {
      task.progress(Progress.of(call.title()));
    }
  }

  private static void ended(StopReason reason, String text, CompletableFuture<Json> output) {
    if (reason.equals(StopReason.END_TURN)) {
      output.complete(Json.of(text));
      return;
    }
    Failure.Kind kind = reason.equals(StopReason.CANCELLED)
        ? Failure.Kind.CANCELLED
        : reason.equals(StopReason.REFUSAL) ? Failure.Kind.REFUSED : Failure.Kind.ERROR;
    output.completeExceptionally(
        new AgentException(kind, "the turn has ended with '" + reason.value() + "'"));
  }

  private static void close(ClientSession session) {
    try {
      session.close();
    } catch (RuntimeException e) {
      // The connection has ended, and the session with it.
    }
  }

  @Override
  public void close() {
    AcpClient last;
    synchronized (this) {
      closed = true;
      last = client;
    }
    last.close();
  }
}
