package io.millrace.protocol;

import io.millrace.protocol.WorkerInfo.Collections;
import io.millrace.protocol.WorkerInfo.JvmUse;
import io.millrace.protocol.WorkerInfo.NetworkUse;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;

/** Reads what this process uses from its JVM. */
public final class ThisProcess {
  private ThisProcess() {}

  public static ProcessMetrics metrics(NetworkUse network) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    MemoryUsage nonHeap = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
    BufferPool direct = BufferPool.named("direct");
    List<Collections> collectors = new ArrayList<>();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      collectors.add(
          new Collections(
              collector.getName().replace(' ', '_'),
              collector.getCollectionCount(),
              collector.getCollectionTime()));
    }
    return new ProcessMetrics(
        heap.getUsed(),
        heap.getCommitted(),
        heap.getMax(),
        nonHeap.getUsed(),
        nonHeap.getCommitted(),
        nonHeap.getMax(),
        direct.count,
        direct.used,
        direct.capacity,
        network,
        collectors,
        jvm());
  }

  private static JvmUse jvm() {
    double load = 0;
    long nanos = 0;
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      // Negative if it is not known yet.
      load = Math.max(0, system.getProcessCpuLoad());
      nanos = Math.max(0, system.getProcessCpuTime());
    }
    ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    BufferPool mapped = BufferPool.named("mapped");
    MemoryUsage metaspace =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getName().equals("Metaspace"))
            .findFirst()
            .map(MemoryPoolMXBean::getUsage)
            .orElse(new MemoryUsage(0, 0, 0, -1));
    return new JvmUse(
        load,
        nanos,
        ManagementFactory.getThreadMXBean().getThreadCount(),
        classes.getTotalLoadedClassCount(),
        classes.getUnloadedClassCount(),
        mapped.count,
        mapped.used,
        mapped.capacity,
        metaspace.getUsed(),
        metaspace.getCommitted(),
        metaspace.getMax());
  }

  private record BufferPool(long count, long used, long capacity) {
    static BufferPool named(String name) {
      for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
        if (pool.getName().equals(name)) {
          return new BufferPool(pool.getCount(), pool.getMemoryUsed(), pool.getTotalCapacity());
        }
      }
      return new BufferPool(0, 0, 0);
    }
  }
}
