package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.stereotype.Component;

class CallerContextsTest {
  private static final List<String> EVENTS = new CopyOnWriteArrayList<>();

  @Configuration(proxyBeanMethods = false)
  static class Contexts {
    @Bean
    CallerContext user() {
      return () -> () -> {
        EVENTS.add("open user");
        return () -> EVENTS.add("close user");
      };
    }

    @Bean
    CallerContext tenant() {
      return () -> () -> {
        EVENTS.add("open tenant");
        return () -> {
          throw new IllegalStateException("no tenant");
        };
      };
    }
  }

  @Component
  @RpcService
  static class Office {
    @PreAuthorize("hasRole('CLERK')")
    public int open() {
      return 1;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableMethodSecurity
  @Import(Office.class)
  static class Inherited {
    @Bean
    RpcServerCustomizer threadsWithAnIdentity() {
      SecurityContext clerk =
          new SecurityContextImpl(UsernamePasswordAuthenticationToken.authenticated(
              "ann", "", AuthorityUtils.createAuthorityList("ROLE_CLERK")));
      return options -> options.executor(task -> new Thread(() -> {
            SecurityContextHolder.setContext(clerk);
            task.run();
          })
          .start());
    }
  }

  /** As with MODE_INHERITABLETHREADLOCAL, which is one setting for the whole process. */
  @Test
  void aCallOnASocketHasNoIdentityThatItsThreadHasInherited() {
    new ApplicationContextRunner()
        .withUserConfiguration(Inherited.class)
        .withPropertyValues("repartee.listen[0]=tcp://127.0.0.1:0")
        .run(context -> {
          Server server = context.getBean(RpcServers.class).all().get(0);
          try (Peer peer = Repartee.connect(server.endpoint().toString())) {
            assertThat(catchThrowable(() -> peer.call("open", Integer.class)))
                .hasMessageContaining("Unauthorized");
          }
        });
  }

  /** The next call on the thread would use a context that stayed open. */
  @Test
  void aContextIsClosedEvenIfClosingAnotherFails() throws Exception {
    EVENTS.clear();
    try (ConfigurableApplicationContext application = SpringApplication.run(
        new Class<?>[] {RestartTest.App.class, Contexts.class}, new String[] {"--server.port=0"})) {
      int port = ((WebServerApplicationContext) application).getWebServer().getPort();
      try (Peer peer = Repartee.connect("ws://127.0.0.1:" + port + "/rpc")) {
        assertThat(catchThrowable(() -> peer.call("one", Integer.class)))
            .hasMessageContaining("-32603");
      }
    }
    assertThat(EVENTS).containsExactly("open user", "open tenant", "close user");
  }
}
