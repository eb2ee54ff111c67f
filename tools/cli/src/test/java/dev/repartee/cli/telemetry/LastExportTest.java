package dev.repartee.cli.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.terminal.Stdio;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LastExportTest {
  /** Makes a call that there are metrics of. */
  private static void call(Options options) throws Exception {
    Service service = Service.builder().method("color", call -> "green").build();
    try (Server server = Repartee.listen("mem:last-export", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      peer.call("color", String.class);
    }
  }

  /** A signal and the end of the command close it at the same time; the first to return ends the JVM. */
  @Test
  void eachCloseWaitsForTheLastExport() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/", exchange -> {
      begun.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    collector.start();
    try {
      TelemetryOptions telemetry = new TelemetryOptions();
      telemetry.otlp = "http://127.0.0.1:" + collector.getAddress().getPort();
      telemetry.start(Stdio.ofProcess());
      call(telemetry.addTo(Options.DEFAULT, false));
      Thread first = new Thread(telemetry::close);
      first.start();
      begun.await();
      Thread second = new Thread(telemetry::close);
      second.start();
      while (second.isAlive() && second.getState() != Thread.State.BLOCKED) {
        Thread.onSpinWait();
      }
      assertThat(second.getState()).isEqualTo(Thread.State.BLOCKED);
      released.countDown();
      first.join();
      second.join();
    } finally {
      released.countDown();
      collector.stop(0);
    }
  }
}
