package dev.repartee.transport.http.server;

import dev.repartee.internal.Printable;
import dev.repartee.internal.Text;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Transport;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports requests that were refused for their {@code Host} or {@code Origin} to the operator of an
 * endpoint, with the option that admits them. The client does not learn that option. At most
 * {@value #MOST} reports are made in a minute; otherwise a client could fill a log. Thread-safe.
 */
public final class Refusals {
  /** The maximum number of reports in one period. */
  static final int MOST = 10;

  private static final long PERIOD = TimeUnit.MINUTES.toNanos(1);

  /** The maximum number of characters of a name that a report shows. */
  private static final int SHOWN = 200;

  private final Transport.Acceptor operator;

  // Guarded by this.
  private long since = System.nanoTime();
  private int reported;
  private long suppressed;

  /** Creates the reports of one endpoint. */
  public Refusals(Transport.Acceptor operator) {
    this.operator = operator;
  }

  /** Reports a request with a foreign {@code Host}. */
  void host(ChannelInfo client, String host) {
    String name = OriginGuard.name(host);
    report(
        client,
        "a request of " + client.other() + " was refused: this server is not known by the name '"
            + shown(name == null ? host : name) + "' in its Host header",
        name == null ? null : "hosts=" + name);
  }

  /** Reports a request from a page with a foreign origin. */
  void origin(ChannelInfo client, String origin) {
    boolean web = origin.startsWith("http://") || origin.startsWith("https://");
    report(
        client,
        "a request of " + client.other() + " was refused: it comes from a page of the origin '"
            + shown(origin) + "'",
        web ? "origins=" + origin : null);
  }

  private static String shown(String name) {
    return Printable.text(Text.shortened(name, SHOWN));
  }

  /**
   * Makes a report.
   *
   * @param option the option that admits the request, or null if there is none
   */
  private void report(ChannelInfo client, String what, @Nullable String option) {
    long missed;
    synchronized (this) {
      long now = System.nanoTime();
      if (now - since > PERIOD) {
        since = now;
        reported = 0;
      }
      if (reported == MOST) {
        suppressed++;
        return;
      }
      reported++;
      missed = suppressed;
      suppressed = 0;
    }
    boolean possible =
        option != null && option.length() <= SHOWN && option.matches("[a-z]+=[A-Za-z0-9._~:/+%-]+");
    operator.refused(
        client,
        what
            + (possible ? "; the option #" + option + " of the endpoint admits it" : "")
            + (missed == 0 ? "" : "; " + missed + " more were refused and not reported"));
  }
}
