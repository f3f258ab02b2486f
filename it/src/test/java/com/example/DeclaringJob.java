package com.example;

import io.millrace.api.DataSink;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.source.GeneratorSource;

/**
 * A job of three slots in two groups of different sizes. Arguments: the heap of the second group in
 * MB, whether the second group declares its resources ({@code all} or {@code partly}), the number
 * of records, and optionally the managed memory of the second group in MB.
 */
public final class DeclaringJob {
  private DeclaringJob() {}

  public static void main(String[] args) {
    SlotSharingGroup reading =
        SlotSharingGroup.newBuilder("reading").cpuCores(0.5).taskHeapMemoryMB(16).build();
    SlotSharingGroup milling =
        SlotSharingGroup.newBuilder("milling")
            .cpuCores(0.75)
            .taskHeapMemoryMB(Integer.parseInt(args[0]))
            .managedMemoryMB(args.length > 3 ? Integer.parseInt(args[3]) : 0)
            .build();
    StreamEnvironment env = StreamEnvironment.current();
    DataSink sink =
        env.generate(
                GeneratorSource.of(number -> number)
                    .count(Long.parseLong(args[2]))
                    .perSecond(10_000))
            .parallelism(1)
            .slotSharingGroup(reading)
            .rebalance()
            .sinkTo(new DiscardSink<>())
            .name("mill")
            .parallelism(2);
    if (args[1].equals("all")) {
      sink.slotSharingGroup(milling);
    } else {
      sink.slotSharingGroup("milling");
    }
    env.execute("declaring");
  }
}
