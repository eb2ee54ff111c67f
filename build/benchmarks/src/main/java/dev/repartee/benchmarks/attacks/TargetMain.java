package dev.repartee.benchmarks.attacks;

import com.sun.management.GarbageCollectionNotificationInfo;
import dev.repartee.Repartee;
import dev.repartee.benchmarks.process.MemoryUse;
import dev.repartee.benchmarks.process.Replies;
import dev.repartee.testkit.attack.TargetServer;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * The process of an attacked server: {@code TargetMain URI}. Prints its URI, then for each input
 * line the maximum size of its heap after a collection, in bytes. Ends with its standard input.
 */
final class TargetMain {
  private static final AtomicLong MOST = new AtomicLong();

  private TargetMain() {}

  public static void main(String[] args) throws Exception {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector).addNotificationListener(TargetMain::collected, null, null);
    }
    System.out.println(Repartee.listen(args[0], new TargetServer().service(), TargetServer.OPTIONS)
        .endpoint()
        .bare());
    Replies.serve(words -> Long.toString(Math.max(MOST.get(), MemoryUse.now().heap())));
  }

  private static void collected(Notification notification, Object handback) {
    long held = GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
        .getGcInfo()
        .getMemoryUsageAfterGc()
        .entrySet()
        .stream()
        .filter(pool -> pool.getKey().matches(".*(Eden|Survivor|Old|Tenured).*"))
        .map(java.util.Map.Entry::getValue)
        .mapToLong(MemoryUsage::getUsed)
        .sum();
    MOST.accumulateAndGet(held, Math::max);
  }
}
