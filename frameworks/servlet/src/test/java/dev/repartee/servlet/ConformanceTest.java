package dev.repartee.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.Outcome;
import dev.repartee.conformance.Report;
import dev.repartee.testkit.examples.ExampleMethods;
import jakarta.servlet.ServletRegistration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the whole corpus of JSON-RPC 2.0 against the servlet in each container. */
@Tag("ci")
class ConformanceTest {
  /**
   * Tomcat removes the length and reads the chunks, which RFC 9112 section 6.1 allows. A servlet
   * does not see it.
   */
  private static final List<String> TOMCAT = List.of("http: a length beside chunks is refused");

  @ParameterizedTest
  @CsvSource({"TOMCAT,http", "TOMCAT,ws", "JETTY,http", "JETTY,ws"})
  void everyCasePasses(Container.Kind kind, String scheme) throws Exception {
    RpcServlet servlet = new RpcServlet(new ExampleMethods().service(), Options.DEFAULT);
    try (Container container = kind.start(Container.Settings.DEFAULT, context -> {
      ServletRegistration.Dynamic rpc = context.addServlet("rpc", servlet);
      rpc.addMapping("/rpc");
      rpc.setAsyncSupported(true);
      rpc.setLoadOnStartup(1);
    })) {
      Report report = Check.of(scheme + "://127.0.0.1:" + container.port() + "/rpc")
          .timeout(Duration.ofSeconds(60))
          .run(verdict -> {});
      assertThat(report.verdicts())
          .filteredOn(verdict -> verdict.outcome() == Outcome.FAILED)
          .extracting(verdict -> verdict.tested().toString())
          .isEqualTo(kind == Container.Kind.TOMCAT && scheme.equals("http") ? TOMCAT : List.of());
    }
  }
}
