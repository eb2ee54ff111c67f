package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.Lane;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.transport.DisconnectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Pending calls fail immediately when the process at the other end is killed. */
class SuddenDeathTest {
  @Test
  void ofTheServerFailsEveryPendingCall() throws Exception {
    try (Demo.Child server = Demo.start();
        Peer peer = Repartee.connect(server.uri())) {
      List<CallFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        calls.add(peer.callAsync("sleep", int.class, 60_000));
      }
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      server.process().destroyForcibly();
      for (CallFuture<Integer> call : calls) {
        assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOf(DisconnectedException.class);
      }
    }
  }

  @Test
  void ofTheClientFailsThePendingCallsOfTheServer() throws Exception {
    BlockingQueue<CallFuture<String>> asked = new LinkedBlockingQueue<>();
    Service service = Service.builder()
        .method("hello", Lane.INLINE, call -> {
          asked.add(call.peer().callAsync("never", String.class));
          return null;
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service)) {
      Process client = new ProcessBuilder(
              "bash", "-c", """
                  exec 3<>/dev/tcp/127.0.0.1/$0;echo '{"jsonrpc":"2.0",\
                  "method":"hello"}' >&3; exec sleep 60\
                  """, server.endpoint().address().replaceAll(".*:", ""))
          .start();
      CallFuture<String> call = asked.poll(60, TimeUnit.SECONDS);
      assertThat(call).isNotNull();
      client.destroyForcibly();
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(DisconnectedException.class);
    }
  }

  @Test
  void ofAChildProcessFailsEveryPendingCallWithItsExitCode() throws Exception {
    try (Peer peer = Repartee.connect(Demo.exec("stdio:"))) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      CallFuture<Integer> call = peer.callAsync("sleep", int.class, 60_000);
      assertThat(peer.call("subtract", int.class, 1, 1)).isZero();
      ProcessHandle.current()
          .children()
          .filter(child -> child.info().commandLine().orElse("").contains("stdio:"))
          .forEach(ProcessHandle::destroyForcibly);
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("137");
    }
  }
}
