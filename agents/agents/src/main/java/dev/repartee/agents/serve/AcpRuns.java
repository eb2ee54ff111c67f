package dev.repartee.agents.serve;

import dev.repartee.RpcException;
import dev.repartee.acp.runs.MessagePart;
import dev.repartee.acp.runs.RunAgent;
import dev.repartee.acp.runs.RunContext;
import dev.repartee.acp.runs.RunMessage;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Question;
import dev.repartee.agents.Task;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.message.RpcError;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Serves a skill over the Agent Communication Protocol: each run is a task. Only the thread of the
 * run sends events to the client. The task therefore never waits for a slow client, and no event
 * follows the end of the run.
 */
final class AcpRuns implements RunAgent {
  /** The code of the error for a failed task. */
  private static final int FAILED = 1;

  private static final String JSON = "application/json";

  /** The maximum number of reports of a run. More are dropped, since a run has limited events. */
  private static final int MOST_REPORTS = 5_000;

  private static final int LONGEST_REPORT = 1_000;

  /** A report or a question for the client. */
  private interface Event {
    void send() throws InterruptedException;
  }

  private static final Event END = () -> {};

  private final Agent agent;
  private final String skill;
  private final String role;

  /**
   * Creates the runs of a skill.
   *
   * @param name the name of the agent for its clients
   */
  AcpRuns(Agent agent, String skill, String name) {
    this.agent = agent;
    this.skill = skill;
    this.role = "agent/" + name;
  }

  @Override
  public void run(RunContext run) throws InterruptedException {
    // Its length is limited, because the number of reports is limited, and the number of open
    // questions of each call.
    BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    AtomicInteger reports = new AtomicInteger();
    Task task = Task.of(skill, input(run))
        .withProgress(report -> {
          if (reports.incrementAndGet() <= MOST_REPORTS) {
            String text = report.toString();
            events.add(() ->
                report(run, text.substring(0, Math.min(text.length(), LONGEST_REPORT))));
          }
        })
        .withHuman(question -> {
          CompletableFuture<Answer> answer = new CompletableFuture<>();
          events.add(() -> ask(run, question, answer));
          return answer;
        });
    CompletableFuture<Json> output = agent.run(task);
    output.whenComplete((json, failure) -> events.add(END));
    run.onCancel(() -> output.cancel(true));
    try {
      for (Event event = events.take(); event != END; event = events.take()) {
        event.send();
      }
      Json json = output.join();
      run.send(
          json.kind() == Json.Kind.STRING ? MessagePart.text(json.as(String.class)) : part(json));
    } catch (CompletionException | CancellationException e) {
      throw new RpcException(FAILED, RpcCalls.told(Failure.of(e)));
    } finally {
      output.cancel(true); // also after an answer of the client that is not valid JSON
    }
  }

  private static void report(RunContext run, String text) {
    try {
      run.sendGeneric(Json.of(Map.of("message", text)));
    } catch (IllegalStateException e) {
      // The server has no memory for more events of active runs; the report is dropped.
    }
  }

  /**
   * Asks the client until its answer is clear, {@link Answers#MOST} times at most. The end of the
   * step completes the answer, and withdraws the question.
   */
  private void ask(RunContext run, Question question, CompletableFuture<Answer> answer)
      throws InterruptedException {
    for (int times = 0; times < Answers.MOST && !answer.isDone(); times++) {
      String text = times == 0 ? Answers.text(question) : Answers.again(question);
      RunMessage given = run.await(RunMessage.of(role, List.of(MessagePart.text(text))), answer)
          .orElse(null);
      Answer read = given == null ? null : Answers.of(question, content(given));
      if (read != null) {
        answer.complete(read);
      }
    }
    answer.complete(Answers.unclear());
  }

  /** Returns the value of a single JSON part, or the text of parts of text only. */
  private static Json content(RunMessage message) {
    Json json = json(message.parts());
    if (json != null) {
      return json;
    }
    return message.parts().stream().allMatch(part -> part.contentType().startsWith("text/"))
        ? Json.of(message.text())
        : Json.NULL;
  }

  /** Returns the input of a run: the value of a single JSON part, otherwise the text. */
  private static Json input(RunContext run) {
    List<MessagePart> parts =
        run.input().stream().flatMap(message -> message.parts().stream()).toList();
    Json json = json(parts);
    return json == null ? Json.of(run.text()) : json;
  }

  /** Returns the value of a single JSON part; null for other parts. */
  private static @Nullable Json json(List<MessagePart> parts) {
    if (parts.size() != 1 || !parts.get(0).contentType().equals(JSON)) {
      return null;
    }
    MessagePart part = parts.get(0);
    String content = part.content().orElse("");
    try {
      return Json.parse(
          part.contentEncoding().orElse("plain").equals("base64")
              ? new String(Base64.getDecoder().decode(content), StandardCharsets.UTF_8)
              : content);
    } catch (JsonException | IllegalArgumentException e) {
      throw new RpcException(
          RpcError.INVALID_PARAMS, "the content of a part with " + JSON + " is not valid JSON");
    }
  }

  private static MessagePart part(Json json) {
    return new MessagePart(
        JSON,
        Optional.of(json.toString()),
        Optional.of("plain"),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }
}
