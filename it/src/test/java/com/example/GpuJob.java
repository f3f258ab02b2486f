package com.example;

import io.millrace.api.CollectedRecords;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.api.resource.SlotSharingGroup;

/**
 * A job whose function emits the indexes of its GPUs. Arguments: the parallelism and the number of
 * GPUs per slot.
 */
public final class GpuJob {
  private GpuJob() {}

  private static final class Seeing implements MapFunction<Long, String>, RichFunction {
    private static final long serialVersionUID = 1L;
    private String seen = "";

    @Override
    public void open(RuntimeContext context) {
      seen =
          "subtask %d of %d has %s"
              .formatted(
                  context.subtask(),
                  context.parallelism(),
                  context.externalResourceInfos("gpu").stream()
                      .map(info -> info.property(ExternalResourceInfo.INDEX).orElseThrow())
                      .toList());
    }

    @Override
    public String map(Long record) {
      return seen;
    }
  }

  public static void main(String[] args) {
    int subtasks = Integer.parseInt(args[0]);
    StreamEnvironment env = StreamEnvironment.current();
    try (CollectedRecords<String> seen =
        env.generate(index -> index, subtasks)
            .parallelism(subtasks)
            .slotSharingGroup(
                SlotSharingGroup.newBuilder("gpus")
                    .cpuCores(0.25)
                    .taskHeapMemoryMB(16)
                    .externalResource("gpu", Integer.parseInt(args[1]))
                    .build())
            .map(new Seeing())
            .parallelism(subtasks)
            .collect("gpus")) {
      seen.forEachRemaining(System.out::println);
    }
  }
}
