package dev.repartee.a2a.push;

import dev.repartee.a2a.signing.SigningKey;
import java.net.http.HttpClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of push notifications (sections 4.3.3 and 13.2). Immutable.
 *
 * <p>A notification contains the credentials and the token of the client. The token is in the
 * headers {@code X-A2A-Notification-Token} and {@code A2A-Notification-Token}. A notification is
 * sent until the answer has a status of 2xx, at most {@link Builder#attempts} times. The
 * notifications to one address arrive in order. Addresses in private networks are refused by
 * default.
 */
public final class PushNotifications {
  private final Builder settings;

  private PushNotifications(Builder settings) {
    this.settings = settings;
  }

  /** Returns a builder. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the store of addresses. */
  public PushConfigStore store() {
    return settings.store;
  }

  /** Returns whether addresses in private networks and on this machine are allowed. */
  public boolean allowsPrivateAddresses() {
    return settings.privateAddresses;
  }

  /** Returns the number of attempts for a notification. */
  public int attempts() {
    return settings.attempts;
  }

  /** Returns the pause before the second attempt. Each next pause is twice as long. */
  public Duration firstDelay() {
    return settings.firstDelay;
  }

  /** Returns the maximum time for an answer. */
  public Duration timeout() {
    return settings.timeout;
  }

  /** Returns the maximum number of queued notifications. */
  public int queued() {
    return settings.queued;
  }

  /** Returns the key that signs notifications; null for none. */
  public @Nullable SigningKey key() {
    return settings.key;
  }

  /** Returns the issuer in signed notifications. */
  public String issuer() {
    return settings.issuer;
  }

  /** Returns the HTTP client; null for the default. */
  public @Nullable HttpClient http() {
    return settings.http;
  }

  /** A builder of settings. Not thread-safe. */
  public static final class Builder {
    private PushConfigStore store = new MemoryPushConfigStore();
    private boolean privateAddresses;
    private int attempts = 5;
    private Duration firstDelay = Duration.ofSeconds(1);
    private Duration timeout = Duration.ofSeconds(15);
    private int queued = 1_000;
    private @Nullable SigningKey key;
    private String issuer = "";
    private @Nullable HttpClient http;

    private Builder() {}

    /** Sets the store of addresses. By default it is a new {@link MemoryPushConfigStore}. */
    public Builder store(PushConfigStore store) {
      this.store = store;
      return this;
    }

    /** Allows addresses in private networks and on this machine. */
    public Builder allowPrivateAddresses() {
      this.privateAddresses = true;
      return this;
    }

    /**
     * Sets the number of attempts for a notification, and the pause before the second attempt. Each
     * next pause is twice as long. The defaults are 5 and one second.
     *
     * @throws IllegalArgumentException if the number is less than 1
     */
    public Builder attempts(int attempts, Duration firstDelay) {
      if (attempts < 1) {
        throw new IllegalArgumentException("attempts has to be at least 1, not " + attempts);
      }
      this.attempts = attempts;
      this.firstDelay = firstDelay;
      return this;
    }

    /** Sets the maximum time for an answer; 15 seconds by default. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /**
     * Sets the maximum number of queued notifications; 1,000 by default. The size of the queue is
     * limited to 16 MiB. A client may use at most half of the queue, and a host a quarter. Further
     * notifications are dropped and reported to the listener. After three consecutive time-outs, a
     * host does not receive notifications for 5 minutes. A notification occupies a thread of the
     * default client until its host has answered; each address gets one notification at a time.
     */
    public Builder queued(int queued) {
      this.queued = queued;
      return this;
    }

    /**
     * Signs the notifications to clients without credentials: {@code Authorization: Bearer} with a
     * JWT that contains the issuer, the time, the task, and the digest of the body as {@code
     * request_body_sha256}.
     *
     * @param issuer the name of this agent, such as its address
     */
    public Builder signed(SigningKey key, String issuer) {
      this.key = key;
      this.issuer = issuer;
      return this;
    }

    /**
     * Sets the HTTP client, with its proxy and certificates. It must not follow redirects. The
     * default uses those of the JDK. A client of the JDK never closes the connection of an answer
     * that it cannot parse: use one only if you trust the receivers.
     */
    public Builder http(HttpClient http) {
      this.http = http;
      return this;
    }

    /** Returns the settings. */
    public PushNotifications build() {
      Builder copy = new Builder();
      copy.store = store;
      copy.privateAddresses = privateAddresses;
      copy.attempts = attempts;
      copy.firstDelay = firstDelay;
      copy.timeout = timeout;
      copy.queued = queued;
      copy.key = key;
      copy.issuer = issuer;
      copy.http = http;
      return new PushNotifications(copy);
    }
  }
}
