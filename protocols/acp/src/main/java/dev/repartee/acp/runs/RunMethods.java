package dev.repartee.acp.runs;

import dev.repartee.Call;
import dev.repartee.Lane;
import dev.repartee.Param;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.json.UnknownMembers;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Serves runs as methods of JSON-RPC. */
final class RunMethods {
  private static final int NOT_FOUND = -32002;

  /** The params of {@code runs/get} and {@code runs/cancel}. */
  @UnknownMembers.Policy(UnknownMembers.IGNORE)
  record RunId(@Param("run_id") String runId) {}

  /** The result of {@code agents/list}. */
  record Agents(List<AgentManifest> agents) {}

  private final RunServer server;

  private RunMethods(RunServer server) {
    this.server = server;
  }

  static Service of(RunServer server) {
    RunMethods methods = new RunMethods(server);
    return Service.builder()
        .add(RpcMethod.builder("agents/list")
            .description("Lists the agents.")
            .lane(Lane.CONCURRENT)
            .handler(call -> new Agents(server.manifests())))
        .add(RpcMethod.builder("runs/create")
            .description("Runs an agent; each event is a notification runs/event.")
            .lane(Lane.CONCURRENT)
            .asyncHandler(RunRequest.class, Run.class, methods::create))
        .add(RpcMethod.builder("runs/resume")
            .description("Answers the question of an awaiting run, and follows the run.")
            .lane(Lane.INLINE) // never blocks, and the time of arrival has to be exact
            .asyncHandler(ResumeRequest.class, Run.class, methods::resume))
        .add(RpcMethod.builder("runs/get")
            .description("Returns a run.")
            .lane(Lane.CONCURRENT)
            .handler(
                RunId.class,
                Run.class,
                (params, call) -> methods.find(params.runId()).show()))
        .add(RpcMethod.builder("runs/cancel")
            .description("Cancels a run.")
            .lane(Lane.CONCURRENT)
            .handler(RunId.class, Run.class, methods::cancel))
        .build()
        .described("Agent Communication Protocol", "0.2.0");
  }

  private ActiveRun find(String id) {
    ActiveRun run = server.find(id);
    if (run == null) {
      throw new RpcException(NOT_FOUND, "there is no run '" + id + "'");
    }
    return run;
  }

  private CompletableFuture<Run> create(RunRequest params, Call call) {
    Notifications follower = new Notifications(call);
    try {
      server.start(params, follower, call.channel().remote());
    } catch (RunRefusal e) {
      throw new RpcException(
          e.status() == 404
              ? NOT_FOUND
              : e.status() == 422 ? RpcError.INVALID_PARAMS : RpcError.BUSY,
          String.valueOf(e.getMessage()));
    }
    return follower.end;
  }

  private CompletableFuture<Run> resume(ResumeRequest params, Call call) {
    long arrival = System.nanoTime();
    ActiveRun run = find(params.runId().orElse(""));
    Notifications follower = new Notifications(call);
    String refusal = run.resume(params.awaitResume().message(), arrival, follower);
    if (refusal != null) {
      throw new RpcException(RpcError.INVALID_REQUEST, refusal);
    }
    return follower.end;
  }

  private Run cancel(RunId params, Call call) {
    ActiveRun run = find(params.runId());
    if (!run.cancel()) {
      throw new RpcException(
          RpcError.INVALID_REQUEST, "the run is " + run.run().status() + " already");
    }
    return run.run();
  }

  /** Sends the events of a run as notifications of a call. */
  private static final class Notifications implements Follower {
    private final Call call;
    private final CompletableFuture<Run> end = new CompletableFuture<>();

    /** The id of the run, from the first event. Later events may lack it. */
    private @Nullable String id;

    Notifications(Call call) {
      this.call = call;
    }

    @Override
    public boolean event(RunEvent event) {
      if (id == null) {
        id = event.run().map(Run::runId).orElse("");
      }
      call.notify("runs/event", Map.of("run_id", id, "event", event));
      return true;
    }

    @Override
    public void paused(Run run) {
      end.complete(run);
    }

    @Override
    public boolean sendsEvents() {
      return sendsRun();
    }

    @Override
    public boolean sendsRun() {
      return !call.cancellation().isCancelled(); // the end of the connection cancels the call
    }
  }
}
