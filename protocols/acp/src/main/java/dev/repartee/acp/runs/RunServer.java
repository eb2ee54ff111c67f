package dev.repartee.acp.runs;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.ClientShares;
import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Serves the runs of agents in the Agent Communication Protocol.
 *
 * <pre>{@code
 * RunServer runs = RunServer.builder()
 *     .agent(AgentManifest.of("echo", "Repeats"), run -> run.send(run.text()))
 *     .build();
 * runs.listen("http://127.0.0.1:8000/");
 * }</pre>
 *
 * <p>{@link #listen} serves REST with server-sent events, version 0.2 of the protocol: {@code
 * /agents}, {@code /runs}, {@code /session}. {@link #service} serves the same runs as methods of
 * JSON-RPC.
 *
 * <p>A server has at most 200 active runs, and the runs of one client use at most half of this
 * number and of the memory. A client is an address. At a limit, a new run cancels the oldest run
 * that awaits its client: a run of the same client if this client has reached its half, otherwise a
 * run of the client with the largest share. If no run awaits its client, the new run is refused. A
 * run that awaits its client for 10 minutes is cancelled.
 *
 * <p>The server keeps 1,000 ended runs and 1,000 sessions in memory. Active runs, ended runs and
 * sessions may each use a sixteenth of the heap, 16 MiB at least. At a limit the server removes the
 * oldest ended run or session of the client with the largest share. Thread-safe.
 */
public final class RunServer {
  private static final int MOST_ACTIVE = 200;
  private static final int MOST_ENDED = 1_000;
  private static final int MOST_SESSIONS = 1_000;
  private static final int LONGEST_ID = 200;

  /** An agent with its description. */
  record Entry(AgentManifest manifest, RunAgent agent) {}

  private final Map<String, Entry> agents;
  private final ThreadFactory threads;

  /** The places and the memory of the runs that have not ended. */
  private final Budget budget;

  /**
   * The runs that have not ended, by id; guarded by this. At most twice the number of places,
   * because a run that has lost its place may not have ended yet.
   */
  private final Map<String, ActiveRun> active = new LinkedHashMap<>();

  private final Archive<ActiveRun> ended; // guarded by this
  private final Archive<Conversation> sessions; // guarded by this

  private RunServer(Builder builder) {
    this.agents = new LinkedHashMap<>(builder.agents);
    this.threads = builder.threads;
    this.budget = new Budget(MOST_ACTIVE, builder.bytes);
    this.ended = new Archive<>(MOST_ENDED, builder.bytes);
    this.sessions = new Archive<>(MOST_SESSIONS, builder.bytes);
  }

  /** Returns a builder without agents. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Serves REST at an address such as {@code http://127.0.0.1:8000/}. The class path has to contain
   * a transport for HTTP. The protocol does not authenticate clients: use {@link #http} with
   * filters, or an address that only trusted clients can reach.
   *
   * @throws IOException if the address cannot be bound
   */
  public Server listen(String uri) throws IOException {
    HttpService rest = http();
    PeerFactory factory = new PeerFactory() {
      @Override
      public Peer open(Channel channel) {
        throw new IllegalStateException("only HTTP is served here");
      }

      @Override
      public HttpService http(String path) {
        return rest;
      }
    };
    return Repartee.listen(uri, factory, Options.DEFAULT);
  }

  /** Returns the REST service. Its paths begin at the root. */
  public HttpService http() {
    return new RestService(this);
  }

  /**
   * Returns the methods of JSON-RPC: {@code agents/list}, {@code runs/create}, {@code runs/get},
   * {@code runs/cancel}, {@code runs/resume}. The params and results are the objects of REST.
   *
   * <p>{@code runs/create} and {@code runs/resume} return the run when it has ended or awaits its
   * client. Until then each event is a notification {@code runs/event} with the members {@code
   * run_id} and {@code event}. Over HTTP the notifications are server-sent events.
   */
  public Service service() {
    return RunMethods.of(this);
  }

  // ---------------------------------------------------------------- agents and sessions

  List<AgentManifest> manifests() {
    return agents.values().stream().map(Entry::manifest).toList();
  }

  @Nullable AgentManifest manifest(String name) {
    Entry entry = agents.get(name);
    return entry == null ? null : entry.manifest();
  }

  synchronized @Nullable Conversation session(String id) {
    return sessions.find(id);
  }

  // ---------------------------------------------------------------- runs

  synchronized @Nullable ActiveRun find(String id) {
    ActiveRun run = active.get(id);
    return run == null ? ended.find(id) : run;
  }

  /**
   * Starts a run.
   *
   * @param remote the address of the client, as in {@code ChannelInfo.remote}
   * @throws RunRefusal if the agent does not exist, the request is invalid, or too many runs exist
   */
  ActiveRun start(RunRequest request, Follower follower, String remote) {
    Entry entry = agents.get(request.agentName());
    if (entry == null) {
      throw new RunRefusal(404, "not_found", "there is no agent '" + request.agentName() + "'");
    } else if (request.input().isEmpty()) {
      throw new RunRefusal(422, "invalid_input", "the input has no message; send at least one");
    }
    ActiveRun run = begin(request, ClientShares.client(null, remote));
    run.follow(follower);
    Thread thread = threads.newThread(() -> run(run, entry.agent()));
    thread.setName("repartee-acp-run");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // the system has run out of threads
      synchronized (this) {
        active.remove(run.id());
      }
      run.release();
      throw busy("the server has no thread left for the run; try again later");
    }
    return run;
  }

  /** Adds a run. Cancels the waiting runs whose places it gets. */
  private ActiveRun begin(RunRequest request, String client) {
    List<ActiveRun> replaced = new ArrayList<>();
    try {
      return add(request, client, replaced);
    } finally {
      replaced.forEach(ActiveRun::cancel); // without the lock, because it runs actions of agents
    }
  }

  private synchronized ActiveRun add(RunRequest request, String client, List<ActiveRun> replaced) {
    Conversation session = conversation(request.session(), client);
    if (active.size() >= 2 * MOST_ACTIVE) {
      throw busy(MOST_ACTIVE + " cancelled runs have not ended; try again later");
    }
    Budget.Share share =
        budget.new Share(UUID.randomUUID().toString(), client, Budget.size(request.input()));
    ClientShares.Bound full =
        budget.begin(share, lost -> replaced.add(Objects.requireNonNull(active.get(lost.id()))));
    if (full != null) {
      throw busy(
          full == ClientShares.Bound.ENTRIES
              ? MOST_ACTIVE + " runs are active, or half of them of this client; try again later"
              : "the messages of the active runs use all of their memory, or those of this client half"
                  + " of it; try again later");
    }
    ActiveRun run = new ActiveRun(request.agentName(), session, request.input(), share);
    active.put(run.id(), run);
    return run;
  }

  private static RunRefusal busy(String message) {
    return new RunRefusal(503, "server_error", message);
  }

  private Conversation conversation(@Nullable String id, String client) {
    if (id != null && (id.isEmpty() || id.length() > LONGEST_ID)) {
      throw new RunRefusal(
          422, "invalid_input", "the id of a session has 1 to " + LONGEST_ID + " characters");
    }
    String given = id == null ? UUID.randomUUID().toString() : id;
    Conversation known = sessions.find(given);
    Conversation session = known == null ? new Conversation(given) : known;
    keep(session, client);
    return session;
  }

  private void run(ActiveRun run, RunAgent agent) {
    try {
      run.run(agent);
    } finally {
      synchronized (this) {
        active.remove(run.id());
        ended.put(run.id(), run.client(), run, run.bytes());
        if (sessions.find(run.session().id()) == run.session()) { // not forgotten
          keep(run.session(), run.client()); // the run has added messages
        }
      }
    }
  }

  /** Keeps a session in the share of the client that has used it last. */
  private void keep(Conversation session, String client) {
    sessions.put(session.id(), client, session, session.bytes());
  }

  /** A builder of servers. Not thread-safe. */
  public static final class Builder {
    private final Map<String, Entry> agents = new LinkedHashMap<>();
    private long bytes = Budget.BYTES;
    private ThreadFactory threads = Thread::new;

    private Builder() {}

    /**
     * Adds an agent.
     *
     * @throws IllegalArgumentException if its name is not a DNS label, or another agent has it
     */
    public Builder agent(AgentManifest manifest, RunAgent agent) {
      if (!manifest.name().matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
        throw new IllegalArgumentException("the name of an agent has lower case letters, digits and"
            + " hyphens, not '" + manifest.name() + "'");
      } else if (agents.putIfAbsent(manifest.name(), new Entry(manifest, agent)) != null) {
        throw new IllegalArgumentException(
            "two agents have the name '" + manifest.name() + "'; rename one");
      }
      return this;
    }

    /** Sets the memory of each kind: active runs, ended runs, and sessions. */
    Builder bytes(long bytes) {
      this.bytes = bytes;
      return this;
    }

    /** Sets the factory of the threads of runs. */
    Builder threads(ThreadFactory threads) {
      this.threads = threads;
      return this;
    }

    /** Returns the server. */
    public RunServer build() {
      return new RunServer(this);
    }
  }
}
