package dev.repartee.agents.kinds;

import dev.repartee.Options;
import dev.repartee.ReparteeException;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.client.EventStream;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
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
import dev.repartee.transport.Headers;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An agent of A2A. The skill of a task only selects the agent, since messages of A2A name no skill.
 * When the agent requires input, the human is asked, and the answer is sent as the next message.
 */
final class A2aAgent implements Agent {
  /** The time limit of an answer. An earlier deadline of the task cancels the request. */
  private static final Duration LONGEST = Duration.ofHours(24);

  /** The time that {@link #close} waits for the cancellation of running tasks at the agent. */
  private static final Duration CLOSING = Duration.ofSeconds(2);

  private final String name;

  /** Sends messages. Its time limit is long, since the agent works until it answers. */
  private final A2aClient messages;

  /** Fetches the card and cancels tasks, with the time limit of the connector. */
  private final A2aClient control;

  private final AgentCard card;

  /** The time to wait for the id of a cancelled task: the agent cancels a task by its id. */
  private final Duration idTimeout;

  private final List<Skill> skills;
  private final Set<Conversation> running = ConcurrentHashMap.newKeySet();

  private A2aAgent(
      String name, A2aClient messages, A2aClient control, AgentCard card, Duration idTimeout) {
    this.name = name;
    this.messages = messages;
    this.control = control;
    this.card = card;
    this.idTimeout = idTimeout;
    this.skills = card.skills().stream()
        .limit(AgentConnector.MOST_SKILLS)
        .map(skill -> new Skill(skill.id(), skill.description(), null, null))
        .toList();
  }

  static A2aAgent connect(String name, String endpoint, AgentConnector settings) {
    A2aClient control = builder(endpoint, settings).timeout(settings.timeout()).connect(endpoint);
    AgentCard card = Objects.requireNonNull(control.card());
    return new A2aAgent(
        name,
        builder(endpoint, settings).timeout(LONGEST).connect(card),
        control,
        card,
        settings.timeout());
  }

  /**
   * Returns a builder that sends the headers of the options only to the origin of the endpoint. A
   * card may name another origin, which must not receive credentials.
   */
  private static A2aClient.Builder builder(String endpoint, AgentConnector settings) {
    URI origin = URI.create(endpoint).resolve("/");
    Options options = settings.options();
    return A2aClient.builder()
        .frameBytes(options.limits().frameBytes())
        .trace(options.trace())
        .headers(uri -> uri.resolve("/").equals(origin) ? options.headers() : Headers.NONE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return card.description();
  }

  @Override
  public List<Skill> skills() {
    return skills;
  }

  @Override
  public CompletableFuture<Json> run(Task task) {
    Conversation conversation = new Conversation(task);
    conversation.output.whenComplete((json, failure) -> {
      if (conversation.output.isCancelled()) {
        Workers.ALL.execute(conversation::cancel);
      }
    });
    Workers.run(conversation.output, conversation);
    return conversation.output;
  }

  /** Cancels the running tasks at the agent. */
  @Override
  public void close() {
    List<Conversation> all = List.copyOf(running);
    all.forEach(conversation -> conversation.output.cancel(true));
    CompletableFuture.allOf(all.stream()
            .map(conversation -> conversation.ended)
            .toArray(size -> new CompletableFuture<?>[size]))
        .completeOnTimeout(null, CLOSING.toMillis(), TimeUnit.MILLISECONDS)
        .join();
    all.forEach(Conversation::interrupt);
    messages.close();
    control.close();
  }

  private void cancelAtAgent(String task) {
    try {
      control.cancel(task);
    } catch (RuntimeException e) {
      // The task has ended, or the agent is gone.
    }
  }

  /**
   * The exchange of messages for one task. Its worker blocks while the agent works.
   *
   * <p>The agent cancels a task by its id, and the id is in the first answer or event. Therefore
   * {@link #cancel} cancels the remote task only if the id is known; otherwise {@link #began} does
   * it later.
   */
  private final class Conversation implements Runnable {
    private final Task task;
    final CompletableFuture<Json> output = new CompletableFuture<>();
    final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    // Guarded by this.
    private @Nullable Thread worker; // set while run() runs
    private @Nullable String id; // of the task at the agent
    private boolean cancelled;

    Conversation(Task task) {
      this.task = task;
    }

    @Override
    public void run() {
      synchronized (this) {
        if (cancelled) {
          return;
        }
        worker = Thread.currentThread();
      }
      running.add(this);
      try {
        output.complete(converse());
      } catch (RuntimeException e) {
        throw ReparteeException.isUnsent(e) && id() != null
            ? new AgentException(Failure.Kind.LOST, String.valueOf(e.getMessage()))
            : e;
      } finally {
        synchronized (this) {
          worker = null;
          Thread.interrupted(); // clears the interrupt, as the thread may be pooled
        }
        running.remove(this);
        ended.complete(null);
      }
    }

    /** Interrupts the worker, which ends its connection. */
    synchronized void interrupt() {
      if (worker != null) {
        worker.interrupt();
      }
    }

    /** Sends the input, and the answers to questions, until the agent has an output. */
    private Json converse() {
      Message message = Message.of(Role.USER, part(task.input()));
      for (int questions = 0; questions < AgentConnector.MOST_QUESTIONS; questions++) {
        SendMessageResponse last = send(message);
        if (last instanceof Message answer) {
          return value(answer.parts());
        }
        dev.repartee.a2a.types.Task remote = (dev.repartee.a2a.types.Task) last;
        if (remote.state() != TaskState.INPUT_REQUIRED) {
          return A2aAgent.ended(remote);
        }
        message = Message.of(Role.USER, Part.text(answer(remote))).continuing(remote);
      }
      throw new AgentException(
          Failure.Kind.PROTOCOL,
          "the agent has asked " + AgentConnector.MOST_QUESTIONS
              + " questions, the maximum of a task");
    }

    /** Sends a message, as a stream if the agent supports it. Returns the last state. */
    private SendMessageResponse send(Message message) {
      if (!Boolean.TRUE.equals(card.capabilities().streaming())) {
        SendMessageResponse answer = messages.send(message);
        if (answer instanceof dev.repartee.a2a.types.Task remote) {
          began(remote.id());
        }
        return answer;
      }
      try (EventStream stream = messages.stream(message)) {
        return stream.last(this::report);
      }
    }

    private void report(StreamResponse event) {
      if (event instanceof dev.repartee.a2a.types.Task remote) {
        began(remote.id());
      } else if (event instanceof TaskStatusUpdateEvent update) {
        began(update.taskId());
        Message said = update.status().message();
        task.progress(Progress.of(said == null ? "" + update.status().state() : said.text()));
      } else if (event instanceof TaskArtifactUpdateEvent update) {
        began(update.taskId());
      }
    }

    /** Returns the id of the task at the agent; null if the task has not begun. */
    private synchronized @Nullable String id() {
      return id;
    }

    /** Sets the id of the task at the agent. Cancels it there if this task is cancelled already. */
    private void began(String remote) {
      boolean late;
      synchronized (this) {
        late = cancelled && id == null;
        id = remote;
      }
      if (late) {
        cancelAtAgent(remote);
        throw new CancellationException("the task was cancelled");
      }
    }

    /** Cancels the task at the agent, and ends the connection. */
    private void cancel() {
      String remote;
      synchronized (this) {
        cancelled = true;
        remote = id;
      }
      if (remote == null) {
        Workers.after(idTimeout, this::interrupt); // until then, began() may get the id
      } else {
        cancelAtAgent(remote);
        interrupt();
      }
    }

    /** Asks the human for the input that the agent requires. */
    private String answer(dev.repartee.a2a.types.Task remote) {
      Message said = remote.status().message();
      Answer answer;
      try {
        answer = TextQuestion.ask(task, name, said == null ? "The agent needs input" : said.text())
            .toCompletableFuture()
            .get();
      } catch (InterruptedException e) {
        throw new CancellationException("the task was cancelled");
      } catch (ExecutionException e) {
        throw new CompletionException(e.getCause());
      }
      String text = TextQuestion.text(answer);
      if (text == null) {
        cancelAtAgent(remote.id());
        throw new AgentException(
            Failure.Kind.REFUSED, "the agent required input, and the human refused to answer");
      }
      return text;
    }
  }

  /** Returns the output of a task that has ended. */
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
    return input.kind() == Json.Kind.OBJECT ? Part.data(input) : Part.text(input.text());
  }

  /** Returns the value of parts: the data of a single part, the joined texts, or an array. */
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
        values.add(Json.of(Map.of("base64", Base64.getEncoder().encodeToString(raw.raw()))));
      }
    }
    return Json.of(values);
  }
}
