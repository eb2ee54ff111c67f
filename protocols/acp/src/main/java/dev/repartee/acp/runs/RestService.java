package dev.repartee.acp.runs;

import dev.repartee.Param;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Serves runs as REST: version 0.2.0 of the protocol. */
final class RestService implements HttpService {
  private static final int MOST_LISTED = 1_000;
  private static final int DEFAULT_LISTED = 10;

  /** The body of {@code GET /agents}. */
  record Agents(List<AgentManifest> agents) {}

  /** The body of {@code GET /runs/ID/events}. */
  record Events(List<RunEvent> events) {}

  /** The body of {@code GET /session/ID}. */
  record SessionDocument(@Param("id") String id, List<String> history) {}

  private final RunServer server;

  RestService(RunServer server) {
    this.server = server;
  }

  @Override
  public void serve(HttpRequest request, HttpReply reply) {
    long arrival = System.nanoTime();
    try {
      route(request, arrival, reply);
    } catch (RunRefusal e) {
      answer(reply, e.status(), Map.of(), e.error());
    } catch (JsonException e) {
      answer(reply, 422, Map.of(), RunError.of("invalid_input", "the body: " + e.getMessage()));
    }
  }

  private void route(HttpRequest request, long arrival, HttpReply reply) {
    String[] path = request.path().replaceFirst("^/", "").split("/", -1);
    for (int i = 0; i < path.length; i++) {
      path[i] = decoded(path[i]);
    }
    String shape = request.method() + " " + path[0] + " " + path.length;
    switch (shape) {
      case "GET ping 1" -> answer(reply, 200, Map.of(), Json.EMPTY_OBJECT);
      case "GET agents 1" -> answer(reply, 200, Map.of(), agents(request));
      case "GET agents 2" -> answer(reply, 200, Map.of(), agent(path[1]));
      case "POST runs 1" -> create(request, reply);
      case "GET runs 2" -> answer(reply, 200, Map.of(), find(path[1]).show());
      case "POST runs 2" ->
        resume(find(path[1]), Json.parse(request.body()).as(ResumeRequest.class), arrival, reply);
      case "GET session 2", "GET sessions 2" ->
        answer(reply, 200, Map.of(), session(path[1], request));
      case "GET resources 3" -> answer(reply, 200, Map.of(), resource(path[1], path[2]));
      default -> {
        if (shape.equals("POST runs 3") && path[2].equals("cancel")) {
          cancel(find(path[1]), reply);
        } else if (shape.equals("GET runs 3") && path[2].equals("events")) {
          answer(reply, 200, Map.of(), new Events(find(path[1]).showEvents()));
        } else {
          throw new RunRefusal(
              404,
              "not_found",
              "there is no resource at " + request.method() + " " + request.path());
        }
      }
    }
  }

  private static String decoded(String part) {
    try {
      return Endpoint.decoded(part);
    } catch (IllegalArgumentException e) {
      throw new RunRefusal(422, "invalid_input", "the path has an invalid percent-encoding");
    }
  }

  // ---------------------------------------------------------------- agents and sessions

  private Agents agents(HttpRequest request) {
    List<AgentManifest> all = server.manifests();
    int offset = number(request, "offset", 0, Integer.MAX_VALUE);
    int limit = number(request, "limit", DEFAULT_LISTED, MOST_LISTED);
    int from = Math.min(offset, all.size());
    return new Agents(all.subList(from, Math.min(all.size(), from + limit)));
  }

  private static int number(HttpRequest request, String name, int otherwise, int most) {
    String text = request.parameter(name);
    if (text == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw new RunRefusal(
        422, "invalid_input", "'" + name + "' has to be a number from 0 to " + most);
  }

  private AgentManifest agent(String name) {
    AgentManifest manifest = server.manifest(name);
    if (manifest == null) {
      throw new RunRefusal(404, "not_found", "there is no agent '" + name + "'");
    }
    return manifest;
  }

  private SessionDocument session(String id, HttpRequest request) {
    Conversation.Kept kept = conversation(id).kept();
    String host = request.header("host");
    String start = request.channel().transport() + "://" + (host == null ? "localhost" : host)
        + "/resources/" + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20") + "/";
    List<String> history = new ArrayList<>();
    for (int i = 0; i < kept.messages().size(); i++) {
      history.add(start + (kept.first() + i));
    }
    return new SessionDocument(id, history);
  }

  private RunMessage resource(String id, String number) {
    Conversation.Kept kept = conversation(id).kept();
    try {
      int index = Integer.parseInt(number) - kept.first();
      if (index >= 0 && index < kept.messages().size()) {
        return kept.messages().get(index);
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw new RunRefusal(404, "not_found", "there is no resource '" + number + "'");
  }

  private Conversation conversation(String id) {
    Conversation session = server.session(id);
    if (session == null) {
      throw new RunRefusal(404, "not_found", "there is no session '" + id + "'");
    }
    return session;
  }

  // ---------------------------------------------------------------- runs

  private ActiveRun find(String id) {
    ActiveRun run = server.find(id);
    if (run == null) {
      throw new RunRefusal(404, "not_found", "there is no run '" + id + "'");
    }
    return run;
  }

  private void create(HttpRequest request, HttpReply reply) {
    RunRequest body = Json.parse(request.body()).as(RunRequest.class);
    String mode = mode(body.mode().orElse("sync"));
    Follower follower = follower(mode, reply);
    ActiveRun run = server.start(body, follower, request.channel().remote());
    if (mode.equals("async")) {
      answer(reply, 202, Map.of("Run-ID", run.id()), run.show());
    }
  }

  private void resume(ActiveRun run, ResumeRequest body, long arrival, HttpReply reply) {
    String mode = mode(body.mode().orElse("sync"));
    String refusal = run.resume(body.awaitResume().message(), arrival, follower(mode, reply));
    if (refusal != null) {
      throw new RunRefusal(403, "invalid_input", refusal);
    } else if (mode.equals("async")) {
      answer(reply, 202, Map.of("Run-ID", run.id()), run.show());
    }
  }

  private static String mode(String mode) {
    if (!List.of("sync", "async", "stream").contains(mode)) {
      throw new RunRefusal(
          422, "invalid_input", "'mode' has to be sync, async or stream, not '" + mode + "'");
    }
    return mode;
  }

  private static Follower follower(String mode, HttpReply reply) {
    return mode.equals("stream") ? new EventFollower(reply) : new RunFollower(mode, reply);
  }

  private static void cancel(ActiveRun run, HttpReply reply) {
    if (!run.cancel()) {
      throw new RunRefusal(403, "invalid_input", "the run is " + run.run().status() + " already");
    }
    answer(reply, 202, Map.of("Run-ID", run.id()), run.run());
  }

  private static void answer(
      HttpReply reply, int status, Map<String, String> headers, Object body) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put("Content-Type", "application/json");
    reply.answer(status, all, Json.of(body).toBytes());
  }

  /**
   * Sends the run as the response in mode {@code sync}. Does not send anything in mode {@code
   * async}.
   */
  private static final class RunFollower implements Follower {
    private final boolean sends;
    private final HttpReply reply;
    private volatile boolean gone;

    RunFollower(String mode, HttpReply reply) {
      this.sends = mode.equals("sync");
      this.reply = reply;
      reply.onGone(() -> gone = true);
    }

    @Override
    public boolean event(RunEvent event) {
      return true;
    }

    @Override
    public void paused(Run run) {
      if (sends) {
        answer(reply, 200, Map.of("Run-ID", run.runId()), run);
      }
    }

    @Override
    public boolean sendsEvents() {
      return false;
    }

    @Override
    public boolean sendsRun() {
      return sends && !gone;
    }
  }

  /** Sends the events of a run as server-sent events. */
  private static final class EventFollower implements Follower {
    /** The maximum time in seconds that a slow client blocks the run. */
    private static final long SEND_SECONDS = 30;

    private final HttpReply reply;
    private @Nullable String id;
    private volatile boolean gone;

    EventFollower(HttpReply reply) {
      this.reply = reply;
      reply.onGone(() -> gone = true);
    }

    @Override
    public boolean event(RunEvent event) {
      try {
        if (id == null) {
          id = event.run().map(Run::runId).orElse("");
          reply.stream(Map.of("Run-ID", id));
        }
        reply.send(HttpReply.Event.ofJson(Json.of(event).toBytes()));
        return reply.awaitRoom(SEND_SECONDS, TimeUnit.SECONDS);
      } catch (DisconnectedException e) {
        return false; // the run continues, and the client can get its events later
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return true;
      }
    }

    @Override
    public void paused(Run run) {
      reply.end();
    }

    @Override
    public boolean sendsEvents() {
      return !gone;
    }

    @Override
    public boolean sendsRun() {
      return false;
    }
  }
}
