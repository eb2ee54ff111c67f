package dev.repartee.agents.kinds;

import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.RemoteTool;
import dev.repartee.mcp.client.ToolCall;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.ToolResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server with its tools as skills. The next task restarts a process that has ended.
 */
final class McpAgent implements Agent {
  /** The time limit of a call if its task has no deadline. */
  private static final Duration LONGEST = Duration.ofHours(24);

  private final String name;
  private final McpClient client;
  private final RunningTasks running;
  private final List<Skill> skills;

  private McpAgent(String name, McpClient client, RunningTasks running) {
    this.name = name;
    this.client = client;
    this.running = running;
    this.skills = client.capabilities().get("tools") == null
        ? List.of()
        : client.tools().limit(AgentConnector.MOST_SKILLS).map(McpAgent::skill).toList();
  }

  static McpAgent connect(String name, String endpoint, AgentConnector settings)
      throws IOException {
    RunningTasks running = new RunningTasks(name);
    McpClient client = McpClient.builder("repartee-agents", "1")
        .options(running.watching(settings.options()))
        .timeout(settings.timeout())
        .onElicitation(question -> answer(running, question))
        .connect(endpoint);
    try {
      return new McpAgent(name, client, running);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private static Skill skill(RemoteTool tool) {
    return new Skill(tool.name(), tool.description(), tool.input(), tool.output());
  }

  /** Answers a question that a server sends as a request, which names no call. */
  private static Elicitation.Answer answer(RunningTasks running, Elicitation question) {
    return converted(running.ask(text(question), form(question.schema()), "").join());
  }

  /** Answers a question that is in the result of the call of a task. */
  private Elicitation.Answer answer(Task task, Elicitation question) {
    try {
      return converted(task.ask(name, text(question), form(question.schema()))
          .toCompletableFuture()
          .join());
    } catch (CompletionException | CancellationException e) {
      return converted(Answer.refused(Failure.of(e).message()));
    }
  }

  private static String text(Elicitation question) {
    String page = question.url();
    return page == null ? question.message() : question.message() + " (" + page + ")";
  }

  private static Elicitation.Answer converted(Answer answer) {
    return new Elicitation.Answer(answer.granted() ? "accept" : "decline", answer.content());
  }

  /** Returns the schema of a form; null if the form has no fields and only asks for consent. */
  private static @Nullable Json form(@Nullable Json schema) {
    Json fields = schema == null ? null : schema.get("properties");
    return fields == null || fields.members().isEmpty() ? null : schema;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    String instructions = client.instructions();
    return instructions == null ? "" : instructions;
  }

  @Override
  public List<Skill> skills() {
    return skills;
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    String tool = Skills.chosen(task, skills);
    if (tool == null) {
      return Skills.missing(name, skills);
    } else if (task.input().kind() != Json.Kind.OBJECT) {
      return CompletableFuture.failedFuture(new AgentException(
          Failure.Kind.INPUT,
          "the input of the tool '" + tool + "' has to be an object, not "
              + task.input().kind().phrase()));
    }
    Duration left = task.timeLeft();
    ToolCall call = client
        .request(tool)
        .arguments(task.input())
        .timeout(left == null || left.isZero() ? LONGEST : left)
        .independent() // a run may outlive the call that has started it
        .onElicitation(question -> answer(task, question))
        .onProgress(report ->
            task.progress(new Progress(report.progress(), report.total(), report.message())));
    CompletableFuture<Json> output = running.add(task); // first: the server may ask immediately
    CompletableFuture<ToolResult> sent;
    try {
      sent = call.send();
    } catch (RuntimeException e) {
      output.completeExceptionally(e);
      return output;
    }
    sent.whenComplete((result, failure) -> {
      if (failure != null) {
        output.completeExceptionally(failure);
      } else {
        complete(output, result, tool);
      }
    });
    output.whenComplete((json, failure) -> sent.cancel(true));
    return output;
  }

  private static void complete(CompletableFuture<Json> output, ToolResult result, String tool) {
    String text = text(result);
    Json structured = result.structured();
    if (result.isError()) {
      output.completeExceptionally(new AgentException(
          Failure.Kind.ERROR,
          "the tool '" + tool + "' failed: " + (text == null ? "without a reason" : text)));
    } else if (structured != null) {
      output.complete(structured);
    } else {
      output.complete(text == null ? Json.of(result.content()) : Json.of(text));
    }
  }

  /** Returns the text of a result; null if the result is empty or has other content. */
  private static @Nullable String text(ToolResult result) {
    if (result.content().isEmpty()
        || !result.content().stream().allMatch(Content.Text.class::isInstance)) {
      return null;
    }
    return result.content().stream()
        .map(part -> ((Content.Text) part).text())
        .collect(Collectors.joining("\n"));
  }

  @Override
  public void close() {
    client.close();
  }
}
