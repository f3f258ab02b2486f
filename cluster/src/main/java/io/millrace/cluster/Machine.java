package io.millrace.cluster;

import io.millrace.protocol.ResourceProfile;
import io.millrace.protocol.WorkerInfo.Collections;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.ArrayList;
import java.util.List;

/** What this process runs on and uses. */
final class Machine {
  private Machine() {}

  static Hardware hardware() {
    long physical =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : 0;
    return new Hardware(
        Runtime.getRuntime().availableProcessors(), physical, Runtime.getRuntime().maxMemory(), 0);
  }

  /** What the slots of this process have together. */
  static ResourceProfile total() {
    return new ResourceProfile(
        Runtime.getRuntime().availableProcessors(), Runtime.getRuntime().maxMemory(), 0, 0, 0);
  }

  static ProcessMetrics metrics() {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    MemoryUsage nonHeap = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
    long directCount = 0;
    long directUsed = 0;
    long directMax = 0;
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        directCount = pool.getCount();
        directUsed = pool.getMemoryUsed();
        directMax = pool.getTotalCapacity();
      }
    }
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
        directCount,
        directUsed,
        directMax,
        collectors);
  }
}
