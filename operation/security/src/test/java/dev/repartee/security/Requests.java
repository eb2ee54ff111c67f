package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.access.AccessException;
import dev.repartee.access.Authenticator;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Credentials of requests, and the decisions about them. */
final class Requests {
  private static final ChannelInfo HTTP = new ChannelInfo("http", "192.0.2.1:40000", "message");

  private Requests() {}

  /** Returns a request from 192.0.2.1 with header fields, names and values. */
  static Credentials with(String... fields) {
    return from("192.0.2.1", fields);
  }

  static Credentials bearer(String token) {
    return with("Authorization", "Bearer " + token);
  }

  /** Returns the value of the field {@code Authorization} for a user and a password. */
  static String basic(String name, String password) {
    byte[] pair = (name + ":" + password).getBytes(UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  static Credentials from(String address, String... fields) {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (int i = 0; i < fields.length; i += 2) {
      headers.put(fields[i], fields[i + 1]);
    }
    try {
      InetSocketAddress remote = new InetSocketAddress(InetAddress.getByName(address), 40000);
      return new Credentials(
          HTTP, Attributes.of(HttpRequest.HEADERS, headers).with(Channel.REMOTE_ADDRESS, remote));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a message of a broker, whose sender has no address. */
  static Credentials overBroker(String name, String value) {
    return new Credentials(
        new ChannelInfo("amqp", "broker", "message"),
        Attributes.of(HttpRequest.HEADERS, Map.of(name, value)));
  }

  static Credentials shown(Credentials request, X509Certificate certificate) {
    return new Credentials(
        request.channel(),
        request.attributes().with(Channel.PEER_CERTIFICATES, List.of(certificate)));
  }

  /** Returns the principal, also null; fails if the caller is refused. */
  static @Nullable Principal found(Authenticator authenticator, Credentials request) {
    return authenticator
        .authenticate(request)
        .toCompletableFuture()
        .orTimeout(60, TimeUnit.SECONDS)
        .join();
  }

  static Principal admitted(Authenticator authenticator, Credentials request) {
    Principal principal = found(authenticator, request);
    assertThat(principal).isNotNull();
    return principal;
  }

  /** Returns the refusal. */
  static AccessException refused(Authenticator authenticator, Credentials request) {
    try {
      Principal principal = found(authenticator, request);
      throw new AssertionError("admitted: " + principal);
    } catch (CompletionException e) {
      if (e.getCause() instanceof AccessException refusal) {
        return refusal;
      }
      throw e;
    }
  }

  /** Returns the status of the refusal; its text is the same for all wrong credentials. */
  static int status(Authenticator authenticator, Credentials request) {
    AccessException refusal = refused(authenticator, request);
    if (refusal.status() == 401) {
      assertThat(refusal).isSameAs(Refusals.wrong());
    }
    return refusal.status();
  }
}
