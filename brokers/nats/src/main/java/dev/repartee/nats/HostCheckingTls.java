package dev.repartee.nats;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.KeyManagementException;
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
 * A TLS context whose sockets accept only a certificate for the name of the server. The client
 * library checks the authority of the certificate, but not the name.
 */
final class HostCheckingTls extends SSLContextSpi {
  private final SSLContext tls;

  private HostCheckingTls(SSLContext tls) {
    this.tls = tls;
  }

  /** Returns a context with the keys and the authorities of another one. */
  static SSLContext of(SSLContext tls) {
    return new SSLContext(new HostCheckingTls(tls), tls.getProvider(), tls.getProtocol()) {};
  }

  @Override
  protected SSLSocketFactory engineGetSocketFactory() {
    return new Factory(tls.getSocketFactory());
  }

  @Override
  protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
      throws KeyManagementException {
    throw new KeyManagementException("this context has its keys already");
  }

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
