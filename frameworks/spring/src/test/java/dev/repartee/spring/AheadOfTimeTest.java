package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.stereotype.Component;

/** An application that was processed ahead of time. */
class AheadOfTimeTest {
  public record Item(String name, Price price) {}

  public record Price(int cents) {}

  @Component
  @RpcService
  public static class Catalog {
    public Item item(String name) {
      return new Item(name, new Price(150));
    }
  }

  @RpcClient(uri = "tcp://127.0.0.1:1")
  public interface Remote {
    Item item(String name);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Catalog.class)
  public static class App {
    @Bean
    Runnable uses(Remote remote) {
      return () -> remote.item("tea");
    }
  }

  @Test
  @CompileWithForkedClassLoader
  void theGeneratedContextServesAndHasHints() {
    TestGenerationContext generated = new TestGenerationContext(App.class);
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    context.register(App.class);
    new ApplicationContextAotGenerator().processAheadOfTime(context, generated);
    generated.writeGeneratedContent();

    RuntimeHints hints = generated.getRuntimeHints();
    assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Catalog.class, "item"))
        .accepts(hints);
    assertThat(RuntimeHintsPredicates.reflection().onType(Price.class)).accepts(hints);
    assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Remote.class)).accepts(hints);

    TestCompiler.forSystem().with(generated).compile(compiled -> {
      @SuppressWarnings("unchecked")
      ApplicationContextInitializer<GenericApplicationContext> initializer =
          compiled.getInstance(ApplicationContextInitializer.class);
      try (GenericApplicationContext started = new GenericApplicationContext()) {
        TestPropertyValues.of("repartee.listen[0]=tcp://127.0.0.1:0").applyTo(started);
        initializer.initialize(started);
        started.refresh();
        assertThat(started.getBean(Remote.class)).isNotNull();
        try (Peer peer =
            Repartee.connect(started.getBean(RpcServers.class).all().get(0).endpoint())) {
          assertThat(peer.call("item", Item.class, "tea").price().cents()).isEqualTo(150);
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
  }
}
