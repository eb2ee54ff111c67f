package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.json.Json;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

@Execution(ExecutionMode.CONCURRENT) // most cases wait for silence or for the end of a connection
class CheckCommandTest {
  @TempDir
  Path folder;

  @SuppressWarnings("NullAway.Init")
  private Server server;

  private final Captured captured = new Captured("");

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()));
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aConformingServerIsReportedInATableAndASentence() {
    assertThat(check()).isEqualTo(Exit.OK);
    assertThat(captured.out())
        .contains("| group ", "| examples ", "| lines ", " 0 failed (0 MUST, 0 SHOULD, 0 INTEROP)");
  }

  @Test
  void aMethodMapGivesTheNamesThatTheServerUses() throws Exception {
    Path map = folder.resolve("map.json");
    Files.writeString(map, """
        {"subtract":"sum","sum":null,"get_data":null,"minuend":null}""");
    assertThat(check("--method-map", map.toString(), "--all")).isEqualTo(Exit.ERROR_RESPONSE);
    assertThat(captured.out())
        .contains("another result", "the server has no 'get_data', according to the method map");
  }

  @Test
  void anyMethodThatCanBeCalledWillDo() {
    assertThat(check("--call", "add [1,2]", "--format", "json")).isEqualTo(Exit.OK);
    Json report = Json.parse(captured.out());
    assertThat(report.get("conformant")).isEqualTo(Json.TRUE);
    assertThat(captured.err()).contains("cases passed");
  }

  @Test
  void aReportForBuildServersIsXml() throws Exception {
    assertThat(check("--format", "junit")).isEqualTo(Exit.OK);
    Element suite = DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(captured.out())))
        .getDocumentElement();
    assertThat(suite.getAttribute("failures")).isEqualTo("0");
    assertThat(suite.getElementsByTagName("testcase").getLength())
        .isEqualTo(Integer.parseInt(suite.getAttribute("tests")))
        .isGreaterThan(300);
  }

  @Test
  void aServerThatCannotBeReachedIsReported() throws Exception {
    try (DeafPort port = new DeafPort()) {
      String uri = "tcp://127.0.0.1:" + port.number();
      assertThat(Main.run(captured.stdio(), "check", uri)).isEqualTo(Exit.CANNOT_CONNECT);
      assertThat(captured.err()).contains("cannot connect to " + uri);
    }
  }

  @Test
  void aServerThatAnswersNothingIsGivenUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String uri = "http://127.0.0.1:" + silent.getLocalPort() + "/";
      assertThat(Main.run(captured.stdio(), "check", uri, "--timeout", "100ms"))
          .isEqualTo(Exit.LOST);
      assertThat(captured.err()).startsWith("repartee: the server is silent: " + uri);
    }
  }

  @Test
  void invalidArgumentsAreReportedWithTheRemedy() throws Exception {
    assertThat(Main.run(captured.stdio(), "check")).isEqualTo(Exit.USAGE);
    assertThat(Main.run(captured.stdio(), "check", "nonsense")).isEqualTo(Exit.USAGE);
    assertThat(check("--call", "add [1,")).isEqualTo(Exit.USAGE);
    assertThat(check("--method-map", folder.resolve("none").toString())).isEqualTo(Exit.USAGE);
    Files.writeString(folder.resolve("map.json"), "[]");
    assertThat(check("--method-map", folder.resolve("map.json").toString())).isEqualTo(Exit.USAGE);
    assertThat(captured.err())
        .contains(
            "give either the URI of a server or --client 'COMMAND'",
            "'nonsense' has no scheme",
            "the text after the method of --call is not JSON",
            "there is no file",
            "is not an object such as");
  }

  private int check(String... more) {
    // A loaded machine may need more time than the default for a response.
    List<String> words =
        new ArrayList<>(List.of("check", server.endpoint().toString(), "--timeout", "60s"));
    words.addAll(List.of(more));
    return Main.run(captured.stdio(), words.toArray(String[]::new));
  }
}
