package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.examples.guides.EthereumClient.Block;
import dev.repartee.examples.guides.EthereumClient.Eth;
import dev.repartee.examples.guides.EthereumClient.Head;
import dev.repartee.examples.guides.EthereumClient.Transaction;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs the client of docs/ethereum.md against ganache, a node of Ethereum for tests. */
@Timeout(60)
@EnabledIf(value = "isInstalled", disabledReason = NodeModules.MISSING)
@Tag("ci")
class EthereumTest {
  private static Process ganache;
  private static int port;

  static boolean isInstalled() {
    return NodeModules.has("ganache");
  }

  @BeforeAll
  static void start() throws Exception {
    port = freePort();
    ganache = NodeModules.start(List.of(
        "node",
        NodeModules.file("ganache/dist/node/cli.js"),
        "--server.host=127.0.0.1",
        "--server.port=" + port,
        "--wallet.deterministic"));
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(ganache.getInputStream(), UTF_8));
    StringBuilder said = new StringBuilder();
    String line = lines.readLine();
    while (line != null && !line.contains("Listening on")) {
      said.append(line).append('\n');
      line = lines.readLine();
    }
    assertThat(line).as(said.toString()).isNotNull();
    Thread rest = new Thread(() -> lines.lines().forEach(each -> {}));
    rest.setDaemon(true);
    rest.start();
  }

  /**
   * Returns a free port below those that systems choose themselves: another process might get one of
   * these before ganache listens.
   */
  private static int freePort() throws IOException {
    while (true) {
      int candidate = ThreadLocalRandom.current().nextInt(20_000, 30_000);
      try (ServerSocket free = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException e) {
        // It is taken.
      }
    }
  }

  @AfterAll
  static void stop() {
    ganache.destroyForcibly();
  }

  @Test
  void theNodeIsCalledByAnInterface() throws Exception {
    try (Peer node = EthereumClient.connect("http://127.0.0.1:" + port)) {
      Eth eth = node.proxy(Eth.class);
      assertThat(eth.chainId()).hasToString("0x539");
      String first = eth.accounts().get(0);
      assertThat(eth.balance(first, "latest").value()).isPositive();
      assertThat(eth.block(Quantity.of(0), false))
          .hasValueSatisfying(block -> assertThat(block.number()).hasToString("0x0"));
      assertThat(eth.block(Quantity.of(1_000_000), false)).isEmpty();
    }
  }

  @Test
  void aHundredBlocksComeInOneBatch() throws Exception {
    try (Peer node = EthereumClient.connect("http://127.0.0.1:" + port)) {
      node.call("evm_mine", Json.class, Map.of("blocks", 100));
      List<Block> blocks = EthereumClient.blocks(node, 1, 100);
      assertThat(blocks).hasSize(100);
      for (int i = 1; i < blocks.size(); i++) {
        assertThat(blocks.get(i).parentHash()).isEqualTo(blocks.get(i - 1).hash());
      }
    }
  }

  @Test
  void theNodeSaysWhyItRefusesATransaction() throws Exception {
    try (Peer node = EthereumClient.connect("http://127.0.0.1:" + port)) {
      Eth eth = node.proxy(Eth.class);
      String from = eth.accounts().get(0);
      String to = eth.accounts().get(1);
      Quantity wei = Quantity.of(1);
      assertThat(EthereumClient.send(eth, new Transaction(from, to, wei, Optional.empty())))
          .startsWith("sent as 0x");
      Transaction poor = new Transaction(from, to, wei, Optional.of(Quantity.of(1)));
      assertThat(EthereumClient.send(eth, poor)).startsWith("refused with -32000: intrinsic gas");
      String stranger = "0x0000000000000000000000000000000000000001";
      assertThat(EthereumClient.send(eth, new Transaction(stranger, to, wei, Optional.empty())))
          .isEqualTo("refused with -32700: sender account not recognized");
    }
  }

  @Test
  void newHeadsArriveInOrder() throws Exception {
    BlockingQueue<Head> heads = new LinkedBlockingQueue<>();
    try (Peer node = EthereumClient.connect("ws://127.0.0.1:" + port)) {
      CompletableFuture<Void> watching = EthereumClient.heads(node).forEach(heads::add);
      node.call("evm_mine", Json.class, Map.of("blocks", 2));
      Head first = heads.poll(30, TimeUnit.SECONDS);
      assertThat(first).isNotNull();
      Head second = heads.poll(30, TimeUnit.SECONDS);
      assertThat(second).isNotNull();
      assertThat(second.number().value()).isEqualTo(first.number().value().add(BigInteger.ONE));
      assertThat(watching).isNotDone();
      watching.cancel(true);
      assertThat(node.proxy(Eth.class).chainId()).hasToString("0x539");
    }
  }
}
