package dev.repartee.benchmarks.peers;

import dev.repartee.Options;
import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.servlet.RpcServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.util.Objects;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** Servlets on the same embedded Tomcat, with its defaults but for the size of its pool. */
final class TomcatServers {
  private static final int THREADS = 64;

  private TomcatServers() {}

  /** Serves a servlet that reads the request and answers with the same bytes. */
  static Address constant(Workload workload) throws IOException, LifecycleException {
    return serve(new Constant(workload.answer(0)));
  }

  static Address repartee() throws IOException, LifecycleException {
    return serve(new RpcServlet(ReparteeMethods.inline(), Options.DEFAULT));
  }

  static Address jsonrpc4j() throws IOException, LifecycleException {
    return serve(new JsonRpc4j.Servlet());
  }

  /** Serves a controller of Spring MVC that answers with the same bytes. */
  static Address controller(Workload workload) throws IOException, LifecycleException {
    AnnotationConfigWebApplicationContext beans = new AnnotationConfigWebApplicationContext();
    beans.register(Mvc.class);
    Controller controller = new Controller(workload.answer(0));
    beans.addBeanFactoryPostProcessor(
        factory -> factory.registerSingleton("controller", controller));
    return serve(new DispatcherServlet(beans));
  }

  private static Address serve(HttpServlet servlet) throws IOException, LifecycleException {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(Files.createTempDirectory("tomcat").toString());
    tomcat.setHostname(InetAddress.getLoopbackAddress().getHostAddress());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", tomcat.getHost().getName());
    tomcat.getConnector().setProperty("maxThreads", Integer.toString(THREADS));
    tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1"); // others do not end them
    Context context = tomcat.addContext("", null);
    Wrapper wrapper = Tomcat.addServlet(context, "rpc", servlet);
    wrapper.setAsyncSupported(true);
    wrapper.addMapping("/*");
    tomcat.start();
    return Address.port(tomcat.getConnector().getLocalPort());
  }

  private static final class Constant extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final byte[] answer;

    Constant(byte[] answer) {
      this.answer = answer;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      Objects.requireNonNull(request.getInputStream().readAllBytes());
      response.setContentType("application/json");
      response.setContentLength(answer.length);
      response.getOutputStream().write(answer);
    }
  }

  /** The configuration of Spring MVC. */
  @EnableWebMvc
  static class Mvc {}

  /** The controller. */
  @RestController
  static class Controller {
    private final byte[] answer;

    Controller(byte[] answer) {
      this.answer = answer;
    }

    @PostMapping("/")
    ResponseEntity<byte[]> rpc(@RequestBody byte[] request) {
      return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(answer);
    }
  }
}
