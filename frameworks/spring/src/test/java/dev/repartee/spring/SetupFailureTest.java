package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Rpc;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Mistakes for which the application does not start, as Boot prints them. */
class SetupFailureTest {
  @Component("first")
  @RpcService
  static class First {
    public int add(int a, int b) {
      return a + b;
    }
  }

  @Component("second")
  @RpcService
  static class Second {
    @Rpc("add")
    public int sum(int a, int b) {
      return a + b;
    }
  }

  @Component("third")
  @RpcService("/third")
  static class Third extends Second {}

  @Component("overloaded")
  @RpcService
  static class Overloaded {
    public void at(int a) {}

    public void at(String a) {}
  }

  @Component("unbound")
  @RpcService
  static class Unbound {
    public void run(Thread thread) {}
  }

  @Component("pathless")
  @RpcService("rpc")
  static class Pathless {
    public void run() {}
  }

  @RestController
  static class Taken {
    @PostMapping("/rpc")
    String rpc() {
      return "";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {}

  private static void assertFailure(
      ApplicationContextRunner runner, String description, String action) {
    runner.run(context -> assertAnalysis(context.getStartupFailure(), description, action));
  }

  private static void assertAnalysis(Throwable failure, String description, String action) {
    FailureAnalysis analysis = new RpcSetupFailureAnalyzer().analyze(failure);
    assertThat(analysis).as("%s", failure).isNotNull();
    assertThat(analysis.getDescription()).contains(description.split("\\|"));
    assertThat(analysis.getAction()).contains(action);
  }

  private static ApplicationContextRunner with(Class<?>... beans) {
    return new ApplicationContextRunner()
        .withUserConfiguration(App.class)
        .withUserConfiguration(beans);
  }

  @Test
  void twoBeansHaveOneMethod() {
    assertFailure(
        with(First.class, Second.class),
        "The beans 'first' (|'second' (|both have the method 'add'.",
        "@Rpc");
  }

  @Test
  void twoPathsHaveOneMethodAndAnEndpointServesBoth() {
    with(First.class, Third.class).run(context -> assertThat(context).hasNotFailed());
    assertFailure(
        with(First.class, Third.class).withPropertyValues("repartee.listen[0]=tcp://127.0.0.1:0"),
        "'first'|'third'|both have the method 'add'.",
        "repartee.listen");
  }

  @Test
  void aBeanCannotBeBound() {
    assertFailure(with(Overloaded.class), "The bean 'overloaded' cannot be served|'at'", "@Rpc");
    assertFailure(with(Unbound.class), "The bean 'unbound' cannot be served|run|Thread", "@Rpc");
  }

  @Test
  void aPathIsNone() {
    assertFailure(with(Pathless.class), "'pathless'|'rpc', which is not a path", "'/'");
  }

  @Test
  void anEndpointCannotBeOpened() {
    assertFailure(
        with(First.class).withPropertyValues("repartee.listen[0]=tpc://127.0.0.1:0"),
        "'repartee.listen[0]'|tpc",
        "tcp://127.0.0.1:4000");
    assertFailure(
        with().withPropertyValues("repartee.listen[0]=tcp://127.0.0.1:0"),
        "'repartee.listen[0]'|no bean has @RpcService",
        "Annotate");
  }

  @Test
  void aControllerHasThePath() {
    new WebApplicationContextRunner()
        .withUserConfiguration(App.class, First.class, Taken.class)
        .run(context -> assertAnalysis(
            context.getStartupFailure(), "The path '/rpc'|Taken#rpc", "Choose another path"));
  }
}
