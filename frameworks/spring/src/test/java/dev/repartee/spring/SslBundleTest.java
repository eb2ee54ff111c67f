package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.broker.contract.Certificates;
import dev.repartee.transport.DisconnectedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A web server that requires certificates of its clients, and clients with SSL bundles. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {"server.ssl.bundle=server", "server.ssl.client-auth=need"})
class SslBundleTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({OpenSecurity.class, Vault.class})
  static class App {}

  @Component
  @RpcService
  static class Vault {
    public String open() {
      return "open";
    }
  }

  @RpcClient(uri = "wss://localhost:${local.server.port}/rpc", sslBundle = "client")
  interface Known {
    String open();
  }

  @RpcClient(uri = "https://localhost:${local.server.port}/rpc", sslBundle = "client")
  interface KnownByHttp {
    String open();
  }

  @RpcClient(
      uri = "https://localhost:${local.server.port}/rpc",
      sslBundle = "distrustful",
      timeout = "2s")
  interface Distrustful {
    String open();
  }

  @RpcClient(uri = "https://localhost:${local.server.port}/rpc", sslBundle = "stranger")
  interface Stranger {
    String open();
  }

  @TempDir
  static Path folder;

  @DynamicPropertySource
  static void bundles(DynamicPropertyRegistry properties) throws Exception {
    Certificates right = new Certificates(Files.createDirectory(folder.resolve("right")));
    Certificates wrong = new Certificates(Files.createDirectory(folder.resolve("wrong")));
    bundle(properties, "server", right, right.valid("server"));
    bundle(properties, "client", right, right.valid("client"));
    bundle(properties, "distrustful", wrong, right.valid("distrustful"));
    bundle(properties, "stranger", right, wrong.valid("stranger"));
  }

  private static void bundle(
      DynamicPropertyRegistry properties,
      String name,
      Certificates trusted,
      Certificates.Identity own) {
    String prefix = "spring.ssl.bundle.pem." + name;
    properties.add(prefix + ".truststore.certificate", () -> "file:" + trusted.ca());
    properties.add(prefix + ".keystore.certificate", () -> "file:" + own.cert());
    properties.add(prefix + ".keystore.private-key", () -> "file:" + own.key());
  }

  @Test
  void aBundleIsTheIdentityOfAClient(@Autowired Known webSocket, @Autowired KnownByHttp http) {
    assertThat(webSocket.open()).isEqualTo("open");
    assertThat(http.open()).isEqualTo("open");
  }

  @Test
  void aServerOfAnotherAuthorityIsRefused(@Autowired ObjectProvider<Distrustful> clients) {
    try (Attempts attempts = new Attempts("TLS failed")) {
      Distrustful client = clients.getObject(); // begins to connect
      attempts.first.join();
      assertThatThrownBy(client::open)
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContaining("TLS failed");
    }
  }

  @Test
  void aClientOfAnotherAuthorityIsRefused(@Autowired Stranger client) {
    assertThatThrownBy(client::open).isInstanceOf(DisconnectedException.class);
  }
}
