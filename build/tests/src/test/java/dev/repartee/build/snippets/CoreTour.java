package dev.repartee.build.snippets;

import static java.time.Duration.ofSeconds;

import dev.repartee.*;
import dev.repartee.json.Json;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The code of core/README.md. */
final class CoreTour {
  private CoreTour() {}

  record Point(double x, double y) {}

  static class PlaneService {
    @Rpc(lane = Lane.INLINE) // on the thread that reads: it never blocks
    public double distance(Point from, @Param(defaultsTo = "{\"x\":0,\"y\":0}") Point to) {
      return Math.hypot(to.x() - from.x(), to.y() - from.y());
    }

    @Rpc
    public Point middle(Point from, Point to) {
      return new Point((from.x() + to.x()) / 2, (from.y() + to.y()) / 2);
    }

    @Rpc
    public void mark(Point point, Call call) {
      if (point.x() < 0) {
        throw new RpcException(1, "off the plane", point); // code, message, data
      }
      call.peer().notify("marked", point); // back over the same connection
    }
  }

  interface Plane {
    double distance(Point from, Point to);

    CompletableFuture<Point> middle(Point from, Point to); // asynchronous

    @Rpc(notification = true)
    void mark(Point point);
  }

  static Server serve(String uri) throws Exception {
    return Repartee.listen(uri, Service.of(new PlaneService()));
  }

  static List<Object> call(String uri) throws Exception {
    CompletableFuture<Point> marked = new CompletableFuture<>();
    Service ours = Service.builder()
        .method("marked", call -> marked.complete(call.params().at(0).as(Point.class)))
        .build();
    Point a = new Point(3, 4);
    Point b = new Point(5, 6);

    try (Peer peer = Repartee.connect(uri, ours, Options.DEFAULT)) {
      Plane plane = peer.proxy(Plane.class);
      plane.mark(plane.middle(a, b).join());

      double five =
          peer.request("distance").arg("from", a).timeout(ofSeconds(2)).call(double.class);

      Batch batch = peer.batch();
      CallFuture<Double> three = batch.callAsync("distance", double.class, new Point(0, 3));
      CallFuture<Json> refused = batch.callAsync("mark", Json.class, new Point(-1, 0));
      batch.send();
      int code = refused
          .handle((json, e) -> e instanceof RpcException r ? r.code() : 0)
          .join();

      return List.of(marked.get(10, TimeUnit.SECONDS), five, three.await(), code);
    }
  }
}
