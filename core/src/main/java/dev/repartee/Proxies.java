package dev.repartee;

final class Proxies {
  private Proxies() {}

  static <T> T create(Peer peer, Class<T> type) {
    throw new UnsupportedOperationException();
  }
}
