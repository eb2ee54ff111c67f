package dev.repartee.agents.kinds;

import dev.repartee.Call;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Programs that agents start as child processes. */
final class ChildPrograms {
  private ChildPrograms() {}

  /** Returns the endpoint of a program. */
  static String exec(Class<?> program) {
    return "exec:"
        + Json.of(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            program.getName()));
  }

  /** An MCP server on standard input and output. */
  public static final class Mcp {
    private Mcp() {}

    public static void main(String[] args) throws Exception {
      server().listen("stdio:").join();
    }

    static McpServer server() {
      CountDownLatch cancelled = new CountDownLatch(1);
      return McpServer.builder("child", "1")
          .tool(
              Tool.named("pid").handle((call, input) -> ProcessHandle.current().pid()))
          .tool(Tool.named("hang").handle((call, input) -> {
            call.cancellation().onCancel(cancelled::countDown);
            call.progress(1, 2.0, "hanging");
            cancelled.await();
            return "cancelled";
          }))
          .tool(Tool.named("cancelled").handle((call, input) -> {
            cancelled.await();
            return "the other call was cancelled";
          }))
          .build();
    }
  }

  /** A JSON-RPC service on standard input and output. */
  public static final class JsonRpc {
    private final CountDownLatch never = new CountDownLatch(1);

    private JsonRpc() {}

    public static void main(String[] args) throws Exception {
      Repartee.listen("stdio:", Service.of(new JsonRpc())).join();
    }

    public long pid() {
      return ProcessHandle.current().pid();
    }

    public String hang(Call call) throws InterruptedException {
      call.progress("hanging");
      never.await();
      return "never";
    }
  }

  /**
   * A program that answers its first request correctly, and each later one with text that is not
   * JSON.
   */
  public static final class Garbage {
    private Garbage() {}

    public static void main(String[] args) throws Exception {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      String line = in.readLine();
      String id = Json.parse(line).get("id").toString();
      System.out.println("""
          {"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\
          """.formatted(id));
      while (in.readLine() != null) {
        System.out.println("<html>what?</html>");
      }
    }
  }
}
