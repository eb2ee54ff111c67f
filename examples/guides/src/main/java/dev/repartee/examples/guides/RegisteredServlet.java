package dev.repartee.examples.guides;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.servlet.RpcServlet;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;

public final class RegisteredServlet {
  private RegisteredServlet() {}

  static void register(ServletContext context, Service service) {
    ServletRegistration.Dynamic rpc =
        context.addServlet("rpc", new RpcServlet(service, Options.DEFAULT));
    rpc.addMapping("/registered");
    rpc.setAsyncSupported(true);
    rpc.setLoadOnStartup(1);
  }
}
