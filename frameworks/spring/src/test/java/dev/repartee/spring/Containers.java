package dev.repartee.spring;

/** The properties that choose a web server of the class path. */
final class Containers {
  static final String TOMCAT = "spring.autoconfigure.exclude="
      + "org.springframework.boot.jetty.autoconfigure.servlet.JettyServletWebServerAutoConfiguration";
  static final String JETTY = "spring.autoconfigure.exclude="
      + "org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration";
  static final String VIRTUAL_THREADS = "spring.threads.virtual.enabled=true";

  private Containers() {}
}
