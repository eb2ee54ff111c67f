package dev.repartee.spring;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.reconnect.Reconnecting;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ConfigurableApplicationContext;

/** Makes the bean of an interface with {@link RpcClient}, and closes its connection. */
final class RpcClientFactory<T> implements FactoryBean<T>, DisposableBean {
  private final Class<T> type;
  private final @Nullable PemBundle tls;
  private final Peer peer;
  private final T proxy;

  /**
   * Begins to connect.
   *
   * @throws RpcSetupException if the annotation has a value that cannot be used
   */
  RpcClientFactory(
      Class<T> type,
      ConfigurableApplicationContext application,
      ObjectProvider<RpcClientCustomizer> customizers,
      ObjectProvider<SslBundles> bundles) {
    this.type = type;
    RpcClient client = Objects.requireNonNull(type.getAnnotation(RpcClient.class));
    ConfigurableBeanFactory factory = application.getBeanFactory();
    PemBundle files = null;
    Peer connecting = null;
    try {
      String uri = resolved(factory, client.uri());
      String timeout = resolved(factory, client.timeout());
      String bundle = resolved(factory, client.sslBundle());
      Options.Builder options = Options.builder();
      if (!timeout.isEmpty()) {
        Duration limit = DurationStyle.detectAndParse(timeout);
        options.limits(limits -> limits.callTimeout(limit));
      }
      customizers.orderedStream().forEach(c -> c.customize(type, options));
      files = bundle.isEmpty() ? null : PemBundle.of(bundles.getObject().getBundle(bundle));
      connecting = Reconnecting.to(files == null ? uri : files.at(uri))
          .options(options.build())
          .listener(new QuietStart(application))
          .connectInBackground();
      this.proxy = connecting.proxy(type);
      this.peer = connecting;
      this.tls = files;
    } catch (IllegalArgumentException | IOException | NoSuchSslBundleException e) {
      close(connecting, files);
      throw new RpcSetupException(
          "The client " + type.getName() + " cannot be made: " + e.getMessage() + ".",
          "Correct its @RpcClient annotation, or the property that the annotation names.",
          e);
    }
  }

  private static String resolved(ConfigurableBeanFactory factory, String value) {
    return Objects.requireNonNull(factory.resolveEmbeddedValue(value));
  }

  @Override
  public T getObject() {
    return proxy;
  }

  @Override
  public Class<?> getObjectType() {
    return type;
  }

  @Override
  public void destroy() {
    close(peer, tls);
  }

  private static void close(@Nullable Peer peer, @Nullable PemBundle tls) {
    if (peer != null) {
      peer.close();
    }
    if (tls != null) {
      tls.close();
    }
  }
}
