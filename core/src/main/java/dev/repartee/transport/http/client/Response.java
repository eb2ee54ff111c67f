package dev.repartee.transport.http.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;

/** An answer with its received body. */
record Response<T>(HttpRequest request, ResponseReader.Head head, T body)
    implements HttpResponse<T> {
  @Override
  public int statusCode() {
    return head.statusCode();
  }

  @Override
  public HttpHeaders headers() {
    return head.headers();
  }

  @Override
  public URI uri() {
    return request.uri();
  }

  @Override
  public HttpClient.Version version() {
    return head.version();
  }

  @Override
  public Optional<HttpResponse<T>> previousResponse() {
    return Optional.empty();
  }

  /** Returns nothing: the session of an idle connection may belong to another exchange. */
  @Override
  public Optional<SSLSession> sslSession() {
    return Optional.empty();
  }

  /** Hides the headers and the body, which may contain secrets. */
  @Override
  public String toString() {
    return request.method() + " " + head.statusCode();
  }
}
