package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Rpc;
import dev.repartee.mcp.McpTool;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
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

  @Component("hidden")
  @RpcService
  static class Hidden {
    @Rpc
    int add(int a, int b) {
      return a + b;
    }

    public void reset() {}
  }

  @Component("fixed")
  @RpcService
  static class Fixed {
    @PreAuthorize("hasRole('CLERK')")
    public final void clear() {}

    @PreAuthorize("hasRole('CLERK')")
    public void run() {}
  }

  @RpcService
  interface Store<T> {
    T get(T key);
  }

  @Component("texts")
  static class Texts implements Store<String> {
    @Override
    public String get(String key) {
      return key;
    }
  }

  @RpcService("/left")
  interface Left {
    void left();
  }

  @RpcService("/right")
  interface Right {
    void right();
  }

  @Component("both")
  static class Both implements Left, Right {
    @Override
    public void left() {}

    @Override
    public void right() {}
  }

  @Component("scoped")
  @Scope("request")
  @RpcService
  static class Scoped {
    public void run() {}
  }

  @Configuration(proxyBeanMethods = false)
  static class OfInterface {
    @Bean
    Runnable worker() {
      return new Worker();
    }
  }

  @RpcService
  static class Worker implements Runnable {
    @Override
    public void run() {}
  }

  @Component("tools")
  static class Tools {
    @McpTool("Clears")
    @PreAuthorize("hasRole('CLERK')")
    public final String clear() {
      return "cleared";
    }

    @McpTool("Runs")
    @PreAuthorize("hasRole('CLERK')")
    public String run() {
      return "ran";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableMethodSecurity
  static class OfMethods {}

  @Component("placed")
  @RpcService("${placed.path}")
  static class Placed {
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
  void anAnnotatedMethodIsNotPublic() {
    assertFailure(with(Hidden.class), "'hidden'|'add' has @Rpc but is not public", "@Rpc");
  }

  @Test
  void anAspectDoesNotApplyToAFinalMethod() {
    with(Fixed.class).run(context -> assertThat(context).hasNotFailed());
    assertFailure(
        with(Fixed.class, OfMethods.class),
        "'fixed'|'clear' is final|aspects",
        "Change the method");
    assertFailure(
        with(Tools.class, OfMethods.class).withPropertyValues("repartee.mcp.path=/mcp"),
        "'tools'|'clear' is final|aspects",
        "Change the method");
  }

  @Test
  void theMethodsOfAnInterfaceAreNotClear() {
    assertFailure(with(Texts.class), "'texts'|has type parameters", "Change the method");
    assertFailure(with(Both.class), "'both'|two interfaces with @RpcService", "Change the method");
  }

  @Test
  void aScopeHasNotBegun() {
    new WebApplicationContextRunner()
        .withUserConfiguration(App.class, Scoped.class)
        .run(context -> assertAnalysis(context.getStartupFailure(), "'scoped'", "proxy"));
  }

  @Test
  void aBeanMethodHidesTheClassOfItsBean() {
    SpringApplication application = new SpringApplication(App.class, OfInterface.class);
    assertAnalysis(
        catchThrowable(() -> application.run("--server.port=0")),
        "'worker'|" + Worker.class.getName() + "|not served",
        "return type");
  }

  @Test
  void aPathIsNone() {
    assertFailure(with(Pathless.class), "'pathless'|'rpc', which is not a path", "'/'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "/rpc?x", "/a b", "/rpc/*", "//rpc", "/a/../rpc", "/r%20c", "/r\u00e4c"})
  void aPathIsNoneThatRequestsCanHave(String path) {
    assertFailure(
        with(Placed.class).withPropertyValues("placed.path=" + path),
        "'placed'|'" + path + "', which is not a path",
        "'/rpc'");
  }

  @Test
  void thePropertyOfAPathIsMissing() {
    assertFailure(with(Placed.class), "'placed'|'placed.path'", "Set the property");
  }

  @Test
  void aPropertyIsOutsideOfItsRange() {
    for (String property : List.of(
        "message=3GB", "message=0B", "running-calls=0", "connections=-1", "handler-timeout=-1s")) {
      assertFailure(
          with(First.class).withPropertyValues("repartee.limits." + property),
          "'repartee.limits." + property.substring(0, property.indexOf('=')) + "'",
          "another value");
    }
  }

  @Test
  void thePathOfMcpIsNone() {
    new WebApplicationContextRunner()
        .withUserConfiguration(App.class, First.class)
        .withPropertyValues("repartee.mcp.path=mcp")
        .run(context -> assertAnalysis(
            context.getStartupFailure(),
            "'repartee.mcp.path'|'mcp', which is not a path",
            "'/rpc'"));
  }

  @Test
  void aPropertyOfTheServletCannotBeUsed() {
    SpringApplication application = new SpringApplication(App.class, First.class);
    assertAnalysis(
        catchThrowable(
            () -> application.run("--server.port=0", "--repartee.notification-status=201")),
        "'201'",
        "repartee.notification-status");
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
