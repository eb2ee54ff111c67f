package dev.repartee.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A TLS context whose sockets accept only a certificate for the name of the server, for client
 * libraries that check the authority of a certificate, but not the name.
 */
public final class HostCheckingTls extends SSLContextSpi {
  private final SSLContext tls;

  private HostCheckingTls(SSLContext tls) {
    this.tls = tls;
  }

  /** Returns a context with the keys and the authorities of another one. */
  public static SSLContext of(SSLContext tls) {
    return new SSLContext(new HostCheckingTls(tls), tls.getProvider(), tls.getProtocol()) {};
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    return new Factory(tls.getSocketFactory());
  }

  /** Does nothing: the context has its keys, and some libraries initialize every context. */
  @Override
  protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {}

  @Override
  protected SSLServerSocketFactory engineGetServerSocketFactory() {
    return tls.getServerSocketFactory();
  }

  @Override
  protected SSLEngine engineCreateSSLEngine() {
    return tls.createSSLEngine();
  }

  @Override
  protected SSLEngine engineCreateSSLEngine(String host, int port) {
    return tls.createSSLEngine(host, port);
  }

  @Override
  protected SSLSessionContext engineGetServerSessionContext() {
    return tls.getServerSessionContext();
  }

  @Override
  protected SSLSessionContext engineGetClientSessionContext() {
    return tls.getClientSessionContext();
  }

  private static final class Factory extends SSLSocketFactory {
    private final SSLSocketFactory factory;

    Factory(SSLSocketFactory factory) {
      this.factory = factory;
    }

    private static Socket checking(Socket socket) {
      if (socket instanceof SSLSocket secure) {
        SSLParameters parameters = secure.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        secure.setSSLParameters(parameters);
      }
      return socket;
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return factory.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return factory.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose)
        throws IOException {
      return checking(factory.createSocket(socket, host, port, autoClose));
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return checking(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
        throws IOException {
      return checking(factory.createSocket(host, port, local, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return checking(factory.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
        throws IOException {
      return checking(factory.createSocket(host, port, local, localPort));
    }
  }
}
