package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.servlet.RpcServlet;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An MCP server on a path of a servlet, as docs/servlet.md describes it. */
@Timeout(60)
class McpServletTest {
  private static RpcServlet servlet() {
    McpServer mcp = McpServer.builder("weather", "1")
        .tool(Tool.named("forecast").description("Answers").handle((call, arguments) -> "sun"))
        .build();
    return new RpcServlet(HttpRoutes.builder().at("/mcp", mcp.peers()).build(), Options.DEFAULT);
  }

  private static void assertServed(int port) throws IOException {
    try (McpClient client = McpClient.connect("http://127.0.0.1:" + port + "/mcp")) {
      assertThat(client.call("forecast", null).toString()).contains("sun");
    }
  }

  @Test
  void tomcatServesMcp(@TempDir Path folder) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    tomcat.getConnector(); // creates it
    Context context = tomcat.addContext("", null);
    Wrapper rpc = Tomcat.addServlet(context, "rpc", servlet());
    rpc.setAsyncSupported(true);
    rpc.addMapping("/*");
    tomcat.start();
    try {
      assertServed(tomcat.getConnector().getLocalPort());
    } finally {
      tomcat.stop();
      tomcat.destroy();
    }
  }

  @Test
  void jettyServesMcp() throws Exception {
    ServletHolder rpc = new ServletHolder(servlet());
    rpc.setAsyncSupported(true);
    ServletContextHandler context = new ServletContextHandler("/");
    context.addServlet(rpc, "/*");
    Server server = new Server(0);
    server.setHandler(context);
    server.start();
    try {
      assertServed(server.getURI().getPort());
    } finally {
      server.stop();
    }
  }
}
