package dev.repartee.internal;

/**
 * Header fields of a request on a connection that carries several. Most clients send the same token
 * with each request.
 */
public interface RepeatedFields {
  /** Returns the digests of this connection: the same object for all its requests. */
  LatestDigest latestDigest();
}
