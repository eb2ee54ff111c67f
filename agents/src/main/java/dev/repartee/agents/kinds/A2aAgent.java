package dev.repartee.agents.kinds;

import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.client.EventStream;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An agent of A2A. The protocol has no field for a skill, so the skill only selects the agent. A
 * task that needs input asks the human, and continues with the answer.
 */
final class A2aAgent implements Agent {
  /** The time limit of an answer without a deadline. */
  private static final Duration LONGEST = Duration.ofHours(24);

  /** The number of questions of one task. */
  private static final int MOST_QUESTIONS = 100;

  private static final Json FORM = Json.parse("{\"type\":\"object\",\"properties\":{\"answer\":"
      + "{\"type\":\"string\"}},\"required\":[\"answer\"]}");

  private final String name;
  private final A2aClient client;
  private final List<Skill> skills;
  private final Set<CompletableFuture<Json>> running = ConcurrentHashMap.newKeySet();

  private A2aAgent(String name, A2aClient client) {
    this.name = name;
    this.client = client;
    AgentCard card = client.card();
    this.skills = card == null
        ? List.of()
        : card.skills().stream()
            .map(skill -> new Skill(skill.id(), skill.description(), null, null))
            .toList();
  }

  static A2aAgent connect(String name, String endpoint, AgentConnector settings) {
    return new A2aAgent(name, A2aClient.builder().timeout(LONGEST).connect(endpoint));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    AgentCard card = client.card();
    return card == null ? "" : card.description();
  }

  @Override
  public List<Skill> skills() {
    return skills;
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    CompletableFuture<Json> output = new CompletableFuture<>();
    running.add(output);
    output.whenComplete((json, failure) -> running.remove(output));
    Workers.ALL.execute(() -> {
      try {
        output.complete(new Conversation(task, output).run());
      } catch (RuntimeException e) {
        output.completeExceptionally(e);
      }
    });
    return output;
  }

  /** Cancels the running tasks at the agent. */
  @Override
  public void close() {
    running.forEach(output -> output.cancel(true));
    client.close();
  }

  /** The messages of one task. Runs on a worker, which waits for the agent. */
  private final class Conversation {
    private final Task task;
    private final CompletableFuture<Json> output;

    // Guarded by this.
    private @Nullable String id;
    private @Nullable EventStream events;
    private boolean over;

    Conversation(Task task, CompletableFuture<Json> output) {
      this.task = task;
      this.output = output;
      output.whenComplete((json, failure) -> {
        if (output.isCancelled()) {
          Workers.ALL.execute(this::cancel);
        }
      });
    }

    Json run() {
      Message message = Message.of(Role.USER, part(task.input()));
      for (int questions = 0; questions < MOST_QUESTIONS; questions++) {
        SendMessageResponse last = send(message);
        if (last instanceof Message answer) {
          return value(answer.parts());
        }
        dev.repartee.a2a.types.Task remote = (dev.repartee.a2a.types.Task) last;
        if (remote.state() != TaskState.INPUT_REQUIRED) {
          return ended(remote);
        }
        message = Message.of(Role.USER, Part.text(answer(remote))).continuing(remote);
      }
      throw new AgentException(
          Failure.Kind.PROTOCOL, "the agent has asked " + MOST_QUESTIONS + " questions");
    }

    private SendMessageResponse send(Message message) {
      AgentCard card = client.card();
      if (card == null || !card.capabilities().streams()) {
        SendMessageResponse answer = client.send(message);
        if (answer instanceof dev.repartee.a2a.types.Task remote) {
          began(remote.id());
        }
        return answer;
      }
      try (EventStream stream = client.stream(message)) {
        synchronized (this) {
          events = stream; // if the task is cancelled already, its first event has its id
        }
        for (StreamResponse event : stream) {
          if (event instanceof dev.repartee.a2a.types.Task remote) {
            began(remote.id());
          } else if (event instanceof TaskStatusUpdateEvent update) {
            began(update.taskId());
            Message said = update.status().message();
            task.progress(Progress.of(said == null ? "" + update.status().state() : said.text()));
          }
        }
        return stream.last();
      }
    }

    /** Keeps the id of the task at the agent; cancels that task if this one was cancelled. */
    private void began(String remote) {
      boolean late;
      synchronized (this) {
        late = over && id == null;
        id = remote;
      }
      if (late) {
        client.cancel(remote);
        throw new CancellationException("the task was cancelled");
      }
    }

    private void cancel() {
      String remote;
      EventStream stream;
      synchronized (this) {
        over = true;
        remote = id;
        stream = events;
      }
      try {
        if (remote != null) {
          client.cancel(remote);
        }
      } catch (RuntimeException e) {
        // The task has ended, or the agent is gone.
      } finally {
        if (stream != null && remote != null) {
          stream.close();
        }
      }
    }

    private String answer(dev.repartee.a2a.types.Task remote) {
      Message said = remote.status().message();
      Answer answer = task.ask(name, said == null ? "The agent needs input" : said.text(), FORM)
          .toCompletableFuture()
          .join();
      Json content = answer.content();
      Json text = content == null ? null : content.get("answer");
      if (!answer.granted()) {
        client.cancel(remote.id());
        throw new AgentException(Failure.Kind.REFUSED, "the task needs input, and got none");
      }
      return text != null && text.kind() == Json.Kind.STRING
          ? text.as(String.class)
          : content == null ? "yes" : content.toString();
    }
  }

  private static Json ended(dev.repartee.a2a.types.Task remote) {
    Message said = remote.status().message();
    String text = said == null ? "" : ": " + said.text();
    return switch (remote.state()) {
      case COMPLETED -> {
        List<Part> parts = new ArrayList<>();
        for (Artifact artifact : remote.artifacts()) {
          parts.addAll(artifact.parts());
        }
        yield value(parts.isEmpty() && said != null ? said.parts() : parts);
      }
      case CANCELED ->
        throw new AgentException(Failure.Kind.CANCELLED, "the agent has cancelled the task" + text);
      case AUTH_REQUIRED ->
        throw new AgentException(Failure.Kind.REFUSED, "the agent needs credentials" + text);
      default ->
        throw new AgentException(Failure.Kind.ERROR, "the task ended as " + remote.state() + text);
    };
  }

  private static Part part(Json input) {
    return input.kind() == Json.Kind.STRING
        ? Part.text(input.as(String.class))
        : input.kind() == Json.Kind.OBJECT ? Part.data(input) : Part.text(input.toString());
  }

  /** Returns the value of parts: the data of a single part, the text of all, or a list. */
  private static Json value(List<Part> parts) {
    if (parts.size() == 1 && parts.get(0) instanceof Part.Data data) {
      return data.data();
    } else if (parts.stream().allMatch(Part.Text.class::isInstance)) {
      return Json.of(String.join(
          "\n", parts.stream().map(part -> ((Part.Text) part).text()).toList()));
    }
    List<Json> values = new ArrayList<>();
    for (Part part : parts) {
      if (part instanceof Part.Data data) {
        values.add(data.data());
      } else if (part instanceof Part.Text text) {
        values.add(Json.of(text.text()));
      } else if (part instanceof Part.Url url) {
        values.add(Json.of(Map.of("url", url.url())));
      } else if (part instanceof Part.Raw raw) {
        values.add(
            Json.of(Map.of("base64", java.util.Base64.getEncoder().encodeToString(raw.raw()))));
      }
    }
    return Json.of(values);
  }
}
