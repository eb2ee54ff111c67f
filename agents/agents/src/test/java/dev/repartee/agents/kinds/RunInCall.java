package dev.repartee.agents.kinds;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Task;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A run that the handler of a call with a deadline of an hour starts. */
final class RunInCall {
  private RunInCall() {}

  /**
   * Starts a run, and returns the time that its call of a method has left; empty without a limit.
   *
   * @param uri the agent
   */
  static Optional<Duration> timeLeft(String method, String uri, Task task) throws Exception {
    CompletableFuture<Optional<Duration>> left = new CompletableFuture<>();
    Options options = Options.builder()
        .callLayer((call, next) -> {
          if (call.method().equals(method)) {
            left.complete(Optional.ofNullable(call.timeLeft()));
          }
          return next.handle(call);
        })
        .build();
    Options hour = Options.builder()
        .limits(limits -> limits.handlerTimeout(Duration.ofHours(1)))
        .build();
    try (Agent agent = new AgentConnector(options, Duration.ofSeconds(60)).connect("a", uri)) {
      Service front = Service.builder()
          .method("start", call -> {
            agent.run(task);
            return true;
          })
          .build();
      FrameResponder.of(front, hour, new ChannelInfo("test", "", "message"))
          .respond("""
          {"jsonrpc":"2.0","method":"start","id":1}""".getBytes(UTF_8));
      return left.get(60, TimeUnit.SECONDS);
    }
  }
}
