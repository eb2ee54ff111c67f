package dev.repartee.agents.kinds;

import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import dev.repartee.reconnect.Reconnecting;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A server of the Agent Communication Protocol over JSON-RPC ({@code runs/create} and others). Each
 * agent of the server is a skill. The human receives the question of a run in the state awaiting.
 */
final class RunsAgent implements Agent {
  /**
   * The maximum length of the id of a run; the server of this toolkit limits the ids of sessions in
   * the same way.
   */
  private static final int LONGEST_ID = 200;

  private final String name;
  private final Peer peer;
  private final RunningTasks running;

  /** The active runs by their sessions, and also by their ids when these are known. */
  private final Map<String, RemoteRun> runs;

  private final List<Skill> skills;

  /** The time to wait for the id of a cancelled run: the server cancels a run by its id. */
  private final Duration idTimeout;

  private RunsAgent(
      String name,
      Peer peer,
      RunningTasks running,
      Map<String, RemoteRun> runs,
      List<Skill> skills,
      Duration idTimeout) {
    this.name = name;
    this.peer = peer;
    this.running = running;
    this.runs = runs;
    this.skills = skills;
    this.idTimeout = idTimeout;
  }

  static RunsAgent connect(String name, String endpoint, AgentConnector settings)
      throws IOException {
    RunningTasks running = new RunningTasks(name);
    Map<String, RemoteRun> runs = new ConcurrentHashMap<>();
    Service events = Service.builder()
        .method("runs/event", Lane.INLINE, call -> {
          event(call.params(), runs);
          return null;
        })
        .build();
    Peer peer = Reconnecting.to(endpoint)
        .options(running.watching(settings.options()))
        .service(events)
        .backoff(RunningTasks.BACKOFF)
        .listener(running.reconnecting())
        .connect();
    try {
      Json listed = peer.request("agents/list").timeout(settings.timeout()).call(Json.class);
      List<Skill> skills = new ArrayList<>();
      Json agents = listed.get("agents");
      if (agents == null || agents.kind() != Json.Kind.ARRAY) {
        throw new ProtocolException("the answer to agents/list has no array 'agents'");
      }
      for (Json agent : agents.elements()) {
        String skill = agent.string("name");
        if (skill != null && skills.size() < AgentConnector.MOST_SKILLS) {
          skills.add(new Skill(skill, agent.string("description"), null, null));
        }
      }
      return new RunsAgent(name, peer, running, runs, List.copyOf(skills), settings.timeout());
    } catch (RuntimeException e) {
      peer.close();
      throw e;
    }
  }

  /** Stores the id of a run from its first event, and reports states and texts as progress. */
  private static void event(@Nullable Json params, Map<String, RemoteRun> runs) {
    Json event = params == null ? null : params.get("event");
    if (params == null || event == null) {
      return;
    }
    Json run = event.get("run");
    Json generic = event.get("generic");
    if (run != null) {
      RemoteRun known = find(runs, run.string("session_id"));
      if (known != null) {
        known.began(run.string("run_id"));
        known.report(run.string("status"));
      }
    } else if (generic != null) {
      RemoteRun known = find(runs, params.string("run_id"));
      if (known != null) {
        known.report(generic.string("message"));
      }
    }
  }

  private static @Nullable RemoteRun find(Map<String, RemoteRun> runs, @Nullable String key) {
    return key == null ? null : runs.get(key);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return "";
  }

  @Override
  public List<Skill> skills() {
    return skills;
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    String skill = Skills.chosen(task, skills);
    if (skill == null) {
      return Skills.missing(name, skills);
    }
    return new RemoteRun(task, running.add(task)).begin(skill);
  }

  @Override
  public void close() {
    peer.close();
  }

  /** A run at the server. */
  private final class RemoteRun {
    final Task task;
    private final CompletableFuture<Json> output;
    private final String session = UUID.randomUUID().toString();

    // Guarded by this.
    private @Nullable String id;
    private @Nullable CallFuture<Json> call;
    private boolean cancelled;
    private int questions; // the number of questions so far

    RemoteRun(Task task, CompletableFuture<Json> output) {
      this.task = task;
      this.output = output;
    }

    CompletableFuture<Json> begin(String skill) {
      runs.put(session, this);
      output.whenComplete((json, failure) -> {
        if (output.isCancelled()) {
          cancel();
        } else {
          end();
        }
      });
      Json input = task.input();
      String type = input.kind() == Json.Kind.STRING ? "text/plain" : "application/json";
      String content = input.text();
      call(
          "runs/create",
          Map.of(
              "agent_name", skill,
              "session_id", session,
              "input", List.of(message(type, content))));
      return output;
    }

    private void call(String method, Map<String, Object> params) {
      CallFuture<Json> sent;
      try {
        sent = peer.request(method)
            .params((Object) params)
            .timeout(Duration.ZERO)
            .independent() // a run may outlive the call that has started it
            .send(Json.class);
      } catch (RuntimeException e) {
        output.completeExceptionally(e);
        return;
      }
      synchronized (this) {
        call = sent;
      }
      sent.whenComplete((run, failure) -> {
        try {
          if (failure != null) {
            output.completeExceptionally(failure);
          } else {
            paused(run);
          }
        } catch (RuntimeException e) {
          output.completeExceptionally(e);
        }
      });
      if (output.isDone() && !output.isCancelled()) {
        end();
      }
    }

    private void paused(Json run) {
      String runId = run.string("run_id");
      began(runId);
      if (output.isDone()) {
        return;
      }
      String status = String.valueOf(run.string("status"));
      switch (status) {
        case "completed" -> output.complete(value(run.get("output")));
        case "awaiting" -> awaiting(runId, run.get("await_request"));
        case "cancelled", "cancelling" ->
          output.completeExceptionally(
              new AgentException(Failure.Kind.CANCELLED, "the server has cancelled the run"));
        default -> {
          Json error = run.get("error");
          String reason = error == null ? null : error.string("message");
          output.completeExceptionally(new AgentException(
              Failure.Kind.ERROR,
              "the run ended as " + status + (reason == null ? "" : ": " + reason)));
        }
      }
    }

    private void awaiting(@Nullable String run, @Nullable Json awaited) {
      boolean tooMany;
      synchronized (this) {
        tooMany = ++questions > AgentConnector.MOST_QUESTIONS;
      }
      if (tooMany) {
        violated("the agent has asked more than " + AgentConnector.MOST_QUESTIONS
            + " questions, the maximum of a task");
        return;
      }
      Json question = awaited == null ? null : awaited.get("message");
      TextQuestion.ask(task, name, words(question))
          .whenComplete((answer, failure) -> answered(run, answer, failure));
    }

    private void answered(
        @Nullable String run, @Nullable Answer answer, @Nullable Throwable failure) {
      String text = answer == null ? null : TextQuestion.text(answer);
      if (failure != null || text == null) {
        cancel();
        output.completeExceptionally(new AgentException(
            Failure.Kind.REFUSED, "the run required an answer, and the human refused to answer"));
        return;
      }
      call(
          "runs/resume",
          Map.of(
              "run_id", String.valueOf(run),
              "await_resume", Map.of("type", "message", "message", message("text/plain", text))));
    }

    /** Sets the id of the run. Another id later fails the task: a task has one run. */
    void began(@Nullable String run) {
      if (run == null) {
        return;
      }
      boolean isNew;
      boolean late;
      String known;
      synchronized (this) {
        isNew = id == null && run.length() <= LONGEST_ID;
        id = isNew ? run : id;
        late = isNew && cancelled;
        known = id;
      }
      if (!run.equals(known)) {
        String shown = run.substring(0, Math.min(run.length(), LONGEST_ID));
        violated(
            known == null
                ? "the id of the run has more than " + LONGEST_ID + " characters: " + shown + "..."
                : "the server has changed the id of the run from " + known + " to " + shown);
      } else if (late) {
        cancel();
      } else if (isNew && !output.isDone()) {
        runs.putIfAbsent(run, this);
        if (output.isDone()) { // it has ended since the check
          runs.remove(run, this);
        }
      }
    }

    /** Fails the task, and cancels the run. */
    private void violated(String reason) {
      output.completeExceptionally(new AgentException(Failure.Kind.PROTOCOL, reason));
      cancel();
    }

    void report(@Nullable String text) {
      if (text != null) {
        task.progress(Progress.of(text));
      }
    }

    /** Cancels the run at the server, as soon as its id is known. */
    private void cancel() {
      String run;
      synchronized (this) {
        cancelled = true;
        run = id;
      }
      if (run == null) {
        Workers.after(idTimeout, this::end);
        return;
      }
      try {
        peer.request("runs/cancel").params(Json.of(Map.of("run_id", run))).send(Json.class);
      } catch (RuntimeException e) {
        // The connection has ended.
      }
      end();
    }

    /** Forgets the run, and cancels the call that waits for its result. */
    private void end() {
      CallFuture<Json> last;
      synchronized (this) {
        last = call;
        if (id != null) {
          runs.remove(id, this);
        }
      }
      runs.remove(session, this);
      if (last != null) {
        last.cancel(true);
      }
    }
  }

  private static Map<String, Object> message(String type, String content) {
    return Map.of(
        "role", "user", "parts", List.of(Map.of("content_type", type, "content", content)));
  }

  /** Returns the text of a message. */
  private static String words(@Nullable Json message) {
    StringBuilder text = new StringBuilder();
    Json parts = message == null ? null : message.get("parts");
    if (parts != null) {
      for (Json part : parts.elements()) {
        String content = part.string("content");
        text.append(content == null ? "" : content);
      }
    }
    return text.isEmpty() ? "The run awaits an answer" : text.toString();
  }

  /** Returns the JSON of messages with a single JSON part, otherwise the text of all parts. */
  private static Json value(@Nullable Json messages) {
    List<Json> parts = new ArrayList<>();
    if (messages != null) {
      for (Json message : messages.elements()) {
        Json of = message.get("parts");
        parts.addAll(of == null ? List.of() : of.elements());
      }
    }
    if (parts.size() == 1 && "application/json".equals(parts.get(0).string("content_type"))) {
      String content = parts.get(0).string("content");
      return content == null ? Json.NULL : Json.parse(content);
    }
    StringBuilder text = new StringBuilder();
    for (Json part : parts) {
      String content = part.string("content");
      text.append(content == null ? "" : content);
    }
    return Json.of(text.toString());
  }
}
