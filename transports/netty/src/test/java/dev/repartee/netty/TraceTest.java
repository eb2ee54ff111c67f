package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.trace.Entry;
import dev.repartee.trace.Mask;
import dev.repartee.trace.Trace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the wire trace of HTTP and WebSocket, on both sides. */
@Timeout(60)
class TraceTest {
  /** The events of one side. */
  private static final class Events {
    final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
    final CountDownLatch closed = new CountDownLatch(1);

    Options.Builder options() {
      return Options.builder().trace(Trace.builder().mask(Mask.NONE).to(entry -> {
        entries.add(entry);
        if (entry instanceof Entry.Closed) {
          closed.countDown();
        }
      }));
    }

    List<String> untilClosed() throws InterruptedException {
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
      List<String> all = new ArrayList<>();
      for (Entry entry : entries) {
        if (entry instanceof Entry.Frame frame) {
          all.add(
              frame.direction().label() + " " + String.valueOf(frame.message()).replace('"', '\''));
        } else if (entry instanceof Entry.Opened opened) {
          all.add("opened " + opened.channel().transport());
        } else {
          all.add("closed");
        }
      }
      return all;
    }
  }

  private static Service service() {
    return Service.builder()
        .method("echo", Call::params)
        .method("count", call -> {
          call.progress(1);
          return 2;
        })
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void bothSidesRecordEachMessageInItsDirection(String scheme) throws Exception {
    Events serving = new Events();
    Events calling = new Events();
    try (Server server =
        Repartee.listen(scheme + "://127.0.0.1:0/", service(), serving.options().build())) {
      Options options =
          calling.options().header("Authorization", "Bearer t0ken").build();
      try (Peer peer = Repartee.connect(server.endpoint(), options)) {
        assertThat(peer.call("echo", Json.class, 7)).hasToString("[7]");
      }
      String request = "{'jsonrpc':'2.0','method':'echo','params':[7],'id':1}";
      String answer = "{'jsonrpc':'2.0','result':[7],'id':1}";
      assertThat(calling.untilClosed())
          .containsExactly("opened " + scheme, "out " + request, "in " + answer, "closed");
      assertThat(serving.untilClosed())
          .containsExactly("opened " + scheme, "in " + request, "out " + answer, "closed");
    }
  }

  @Test
  void eachEventOfAStreamIsRecorded() throws Exception {
    Events serving = new Events();
    try (Server server =
            Repartee.listen("http://127.0.0.1:0/", service(), serving.options().build());
        Peer peer = Repartee.connect(server.endpoint())) {
      peer.request("count").onProgress(value -> {}).call(Json.class);
      assertThat(serving.untilClosed())
          .hasSize(5)
          .anyMatch(entry -> entry.startsWith("out {'jsonrpc':'2.0','method':'rpc.progress'"));
    }
  }

  @Test
  void aRecordingHoldsNoHeader(@TempDir Path temp) throws Exception {
    Path file = temp.resolve("http.jsonl");
    try (Trace trace = Trace.builder().mask(Mask.NONE).file(file)) {
      Options options =
          Options.builder().trace(trace).header("Authorization", "Bearer t0ken").build();
      try (Server server = Repartee.listen("http://127.0.0.1:0/", service(), options);
          Peer peer = Repartee.connect(server.endpoint() + "?key=s3cret", options)) {
        peer.call("echo", Json.class, 7);
      }
    }
    assertThat(Files.readString(file)).contains("[7]").doesNotContain("t0ken", "s3cret");
  }
}
