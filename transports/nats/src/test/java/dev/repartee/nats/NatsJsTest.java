package dev.repartee.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Peer;
import dev.repartee.broker.server.NatsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls between this library and nats.js, the client of NATS for Node.js. */
@Tag("ci")
class NatsJsTest extends Fixture {
  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        Files.isDirectory(
            Path.of(System.getProperty("repartee.nats.js", ""), "node_modules", "@nats-io")),
        "nats.js is not installed: -Drepartee.nats.js=FOLDER names the folder in which npm has"
            + " installed @nats-io/transport-node");
    nats = Fixture.server("");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  private Process node(String script) throws IOException {
    Path file = Files.writeString(nats.folder().resolve("script.js"), script);
    ProcessBuilder builder = new ProcessBuilder(
            "node", file.toString(), "nats://127.0.0.1:" + nats.port())
        .redirectErrorStream(true);
    builder
        .environment()
        .put(
            "NODE_PATH",
            Path.of(System.getProperty("repartee.nats.js"), "node_modules").toString());
    Process process = builder.start();
    closing(() -> process.destroyForcibly().waitFor());
    return process;
  }

  @Test
  void aNodeClientCallsTheService() throws Exception {
    serve(nats.uri("java"), methods);
    Process process = node("""
        const { connect } = require("@nats-io/transport-node");

        async function main() {
          const nc = await connect({ servers: process.argv[2] });
          const send = async (message) => (await nc.request(
            "java", JSON.stringify({ jsonrpc: "2.0", ...message }), { timeout: 60000 })).string();
          console.log(JSON.parse(await send({ id: 1, method: "add", params: [20, 22] })).result);
          console.log(JSON.parse(await send({ id: 2, method: "unknown" })).error.code);
          console.log((await send({ method: "note", params: ["noted"] })).length);
          await nc.close();
        }

        main();
        """);
    assertThat(new String(process.getInputStream().readAllBytes(), UTF_8).lines())
        .containsExactly("42", "-32601", "0");
    seen("noted");
  }

  @Test
  void theClientCallsANodeService() throws Exception {
    Process process = node("""
        const { connect } = require("@nats-io/transport-node");

        async function main() {
          const nc = await connect({ servers: process.argv[2] });
          const subscription = nc.subscribe("node", { queue: "q" });
          await nc.flush();
          console.log("ready");
          for await (const message of subscription) {
            const call = message.json();
            if (call.id === undefined) {
              console.log(call.params[0]);
            } else {
              const sum = call.params.reduce((a, b) => a + b, 0);
              message.respond(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: sum }));
            }
          }
        }

        main();
        """);
    var lines = process.inputReader(UTF_8);
    assertThat(lines.readLine()).isEqualTo("ready");
    Peer client = client(nats.uri("node"));
    assertThat(client.call("add", int.class, 20, 22)).isEqualTo(42);
    client.notify("note", "noted");
    assertThat(lines.readLine()).isEqualTo("noted");
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }
}
