package dev.repartee.cli;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A JSON-RPC service over HTTP that records the effects of the steps of plans. A step that calls
 * {@code hold} waits for the test. The test can then kill a process at a known moment.
 */
final class Desk implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 90;

  private final List<String> effects = new ArrayList<>(); // guarded by this
  private final BlockingQueue<CompletableFuture<String>> held = new LinkedBlockingQueue<>();
  private final Server server;

  Desk() throws IOException {
    Service service = Service.builder()
        .method("note", call -> {
          String text = call.params().at(0).as(String.class);
          add(text);
          return "noted " + text;
        })
        .method("hold", call -> {
          add(call.params().at(0).as(String.class));
          CompletableFuture<String> answer = new CompletableFuture<>();
          held.add(answer);
          return answer;
        })
        .build();
    this.server = Repartee.listen("http://127.0.0.1:0/", service);
  }

  private synchronized void add(String text) {
    effects.add(text);
  }

  String uri() {
    return "json-rpc+" + server.endpoint();
  }

  /** Returns the answer of the next step that waits. */
  CompletableFuture<String> next() throws InterruptedException {
    CompletableFuture<String> answer = held.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no step waits; so far: " + effects());
    }
    return answer;
  }

  /** Returns the effects, in order. */
  synchronized List<String> effects() {
    return List.copyOf(effects);
  }

  @Override
  public void close() {
    server.close();
  }
}
