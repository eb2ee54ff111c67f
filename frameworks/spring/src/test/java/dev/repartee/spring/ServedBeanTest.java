package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcMethod;
import dev.repartee.access.Allow;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Beans behind proxies of Spring, served on a socket without a web server. */
class ServedBeanTest {
  static final List<String> EVENTS = new CopyOnWriteArrayList<>();

  interface Account {
    @Rpc
    boolean deposit(int amount);
  }

  @Component
  @RpcService
  static class BankAccount implements Account {
    @Override
    @Transactional
    public boolean deposit(int amount) {
      if (amount < 0) {
        throw new IllegalArgumentException();
      }
      return TransactionSynchronizationManager.isActualTransactionActive();
    }
  }

  /** A transaction manager without a database. */
  static final class Transactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1;

    @Override
    protected Object doGetTransaction() {
      return EVENTS;
    }

    @Override
    protected void doBegin(
        Object transaction, org.springframework.transaction.TransactionDefinition definition) {
      EVENTS.add("begin");
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      EVENTS.add("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
      EVENTS.add("rollback");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {
    @Bean
    PlatformTransactionManager transactions() {
      return new Transactions();
    }

    @Bean
    static String events() {
      EVENTS.clear();
      return "cleared";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(proxyTargetClass = true)
  static class OfClasses {}

  @Configuration(proxyBeanMethods = false)
  @EnableTransactionManagement(proxyTargetClass = false)
  static class OfInterfaces {}

  private static void assertTransactional(Class<?> proxies) {
    new ApplicationContextRunner()
        .withUserConfiguration(App.class, BankAccount.class, proxies)
        .withPropertyValues(
            "repartee.listen[0]=tcp://127.0.0.1:0",
            "spring.aop.proxy-target-class=" + (proxies == OfClasses.class))
        .run(context -> {
          assertThat(context).hasNotFailed();
          call(context.getBean(RpcServers.class));
          assertThat(EVENTS).containsExactly("begin", "commit", "begin", "rollback");
        });
  }

  @Component
  @RpcService
  static class GuardedAccount extends BankAccount {
    @Override
    @Allow("admin")
    @Transactional
    public boolean deposit(int amount) {
      return super.deposit(amount);
    }
  }

  @Test
  void aProxyMustNotHideAnAnnotationThatRestrictsCallers() {
    new ApplicationContextRunner()
        .withUserConfiguration(App.class, GuardedAccount.class, OfInterfaces.class)
        .withPropertyValues("spring.aop.proxy-target-class=false")
        .run(context -> assertThat(context)
            .getFailure()
            .rootCause()
            .hasMessageContaining("a proxy hides the annotation @Allow of its method 'deposit'"));
  }

  private static void call(RpcServers servers) throws IOException {
    try (Peer peer = Repartee.connect(servers.all().get(0).endpoint())) {
      assertThat(peer.call("deposit", Boolean.class, 1)).isTrue();
      assertThat(catchThrowable(() -> peer.call("deposit", Boolean.class, -1)))
          .hasMessageContaining("-32603");
    }
  }

  @Component
  @RpcService
  static class Clock implements DisposableBean {
    public int hour() {
      return 1;
    }

    @Override
    public void destroy() {}

    @EventListener
    public void started(String event) {}
  }

  @Test
  void aPeerCannotCallTheMethodsThatSpringCalls() {
    new ApplicationContextRunner()
        .withUserConfiguration(App.class, Clock.class)
        .run(context -> assertThat(context.getBean(RpcServices.class).together().methods())
            .extracting(RpcMethod::name)
            .containsExactly("hour"));
  }

  @Test
  void aMethodRunsInTheTransactionOfAClassProxy() {
    assertTransactional(OfClasses.class);
  }

  @Test
  void aMethodRunsInTheTransactionOfAnInterfaceProxy() {
    assertTransactional(OfInterfaces.class);
  }
}
