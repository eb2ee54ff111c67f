package dev.repartee.examples.guides;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.servlet.RpcServlet;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;

public final class EmbeddedTomcat {
  private EmbeddedTomcat() {}

  public static Tomcat start(int port, Service service) throws LifecycleException {
    Tomcat tomcat = new Tomcat();
    tomcat.setPort(port);
    tomcat.getConnector(); // creates it
    Context context = tomcat.addContext("", null);
    context.addServletContainerInitializer(new WsSci(), null); // for WebSocket
    Wrapper rpc = Tomcat.addServlet(context, "rpc", new RpcServlet(service, Options.DEFAULT));
    rpc.setAsyncSupported(true);
    rpc.setLoadOnStartup(1);
    rpc.addMapping("/rpc");
    tomcat.start();
    return tomcat;
  }
}
