package dev.repartee.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.broker.server.NatsServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls between this library and nats-py, the client of NATS for Python. */
@Tag("ci")
class NatsPyTest extends Fixture {
  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    python("repartee.nats.py");
    nats = Fixture.server("");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  private BufferedReader run(String script) throws IOException {
    Path file = Files.writeString(nats.folder().resolve("script.py"), script);
    return run(python("repartee.nats.py"), file, "nats://127.0.0.1:" + nats.port());
  }

  @Test
  void aPythonClientCallsTheService() throws Exception {
    serve(nats.uri("java"), methods);
    BufferedReader lines = run("""
        import asyncio, json, nats, sys

        async def main():
            nc = await nats.connect(sys.argv[1])
            call = {"jsonrpc": "2.0", "id": 1, "method": "add", "params": {"a": 20, "b": 22}}
            reply = await nc.request("java", json.dumps(call).encode(), timeout=60)
            print(json.loads(reply.data)["result"])
            await nc.close()

        asyncio.run(main())
        """);
    assertThat(lines.readLine()).isEqualTo("42");
  }

  @Test
  void theClientCallsAPythonService() throws Exception {
    BufferedReader lines = run("""
        import asyncio, json, nats, sys

        async def main():
            nc = await nats.connect(sys.argv[1])
            async def serve(msg):
                call = json.loads(msg.data)
                if call["method"] == "note":
                    print(call["params"][0], flush=True)
                if msg.reply:
                    answer = {"jsonrpc": "2.0", "id": call["id"], "result": sum(call["params"])}
                    await msg.respond(json.dumps(answer).encode())
            await nc.subscribe("python", queue="q", cb=serve)
            await nc.flush()
            print("ready", flush=True)
            await asyncio.sleep(600)

        asyncio.run(main())
        """);
    assertThat(lines.readLine()).isEqualTo("ready");
    Peer client = client(nats.uri("python"));
    assertThat(client.call("add", int.class, 20, 22)).isEqualTo(42);
    client.notify("note", "noted");
    assertThat(lines.readLine()).isEqualTo("noted");
    assertThat(client.call("add", int.class, 1, 2)).isEqualTo(3);
  }
}
