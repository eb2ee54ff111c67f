package dev.repartee;

import java.io.IOException;

/** The way in. */
public final class Repartee {
  private Repartee() {}

  /** Connects to a URI to call what is served there. */
  public static Peer connect(String uri) throws IOException {
    return connect(uri, Service.NONE, Options.DEFAULT);
  }

  /** Connects to a URI, offering a service to the other side. */
  public static Peer connect(String uri, Service service, Options options) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Serves at a URI. */
  public static Server listen(String uri, Service service) throws IOException {
    return listen(uri, service, Options.DEFAULT);
  }

  /** Serves at a URI. */
  public static Server listen(String uri, Service service, Options options) throws IOException {
    throw new UnsupportedOperationException();
  }
}
