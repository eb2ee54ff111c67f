package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Demo;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.Report;
import dev.repartee.testkit.ConformanceTests;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The code of tools/conformance/README.md. */
class OurServerTest {
  @SuppressWarnings("NullAway.Init")
  private Server server;

  @SuppressWarnings("NullAway.Init")
  private String uri;

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()));
    uri = server.endpoint().toString();
  }

  @AfterEach
  void close() {
    server.close();
  }

  @TestFactory
  List<DynamicNode> conformance() throws Exception {
    return ConformanceTests.of(uri); // of testkit
  }

  @Test
  void aReportCanBePrinted() throws Exception {
    Report report = Check.of(uri).timeout(Duration.ofSeconds(10)).run(verdict -> {});
    System.out.println(report.table(false));
    assertThat(report.isConformant()).isTrue();
  }
}
