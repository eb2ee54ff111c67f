package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.bridge.Bridge;
import dev.repartee.broker.server.RabbitServer;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Content;
import dev.repartee.telemetry.Carrier;
import dev.repartee.telemetry.Conventions;
import dev.repartee.telemetry.Telemetry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call through two bridges, a message broker and an agent protocol is one trace. */
@Tag("ci")
@Timeout(300)
class TraceTest {
  private static final String QUEUE = "prices";

  private final TraceReceiver receiver = TraceReceiver.start();

  @AfterEach
  void close() {
    receiver.close();
  }

  /** The tools of the MCP server. */
  public static final class Tools {
    @McpTool("Returns the price of an item")
    public int lookup(String item) {
      return item.length();
    }
  }

  /** The methods of the worker. */
  public record Prices(McpClient tools) {
    @Rpc
    public Content price(String item) {
      return tools.call("lookup", Map.of("item", item)).content().get(0);
    }
  }

  private Telemetry.Builder telemetry(String service) {
    return Telemetry.builder(receiver.sdk(service));
  }

  private static Options on(Telemetry telemetry) {
    return telemetry.instrument(Options.DEFAULT);
  }

  @Test
  void aCallThroughTwoBridgesAndABrokerToAToolIsOneTrace() throws Exception {
    String missing = RabbitServer.missing();
    assumeTrue(missing == null, missing);
    Options ofTools = on(telemetry("tools").conventions(Conventions.MCP).build());
    Options ofWorker = on(telemetry("worker").build());
    Options ofWorkersTools = on(telemetry("worker").conventions(Conventions.MCP).build());
    Options ofGateway = on(telemetry("gateway").build());
    Telemetry edge =
        telemetry("edge").carriers(Carrier.HEADERS, Carrier.MEMBERS).build();
    Options ofClient = on(telemetry("client").carriers(Carrier.MEMBERS).build());

    try (RabbitServer rabbit = RabbitServer.start("");
        Server tools = McpServer.builder("tools", "1")
            .tools(new Tools())
            .options(ofTools)
            .build()
            .listen("http://127.0.0.1:0/mcp");
        McpClient toolsOfWorker = McpClient.builder("worker", "1")
            .options(ofWorkersTools)
            .connect(tools.endpoint().toString());
        Server worker =
            Repartee.listen(rabbit.uri(QUEUE), Service.of(new Prices(toolsOfWorker)), ofWorker);
        Bridge gateway = Bridge.to(rabbit.uri(QUEUE))
            .clientOptions(ofGateway)
            .backendOptions(ofGateway)
            .open();
        Server gatewayServer = gateway.listen("http://127.0.0.1:0/");
        Bridge outer = Bridge.to(gatewayServer.endpoint().toString())
            .clientOptions(on(edge))
            .backendOptions(on(edge))
            .open();
        Server outerServer = outer.listen("tcp://127.0.0.1:0");
        Peer client = Repartee.connect(outerServer.endpoint().toString(), Service.NONE, ofClient)) {
      assertThat(client.call("price", Json.class, "pear").string("text")).isEqualTo("4");
      assertThat(worker.figures().started()).isEqualTo(1);

      String tree = receiver.tree("client", 8);
      System.out.println(tree);
      assertThat(
              Files.readString(Path.of(System.getProperty("repartee.root"), "docs/telemetry.md")))
          .contains(tree);
    }
  }
}
