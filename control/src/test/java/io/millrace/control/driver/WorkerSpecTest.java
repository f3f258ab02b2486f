package io.millrace.control.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.memory.ShippedSizes;
import org.junit.jupiter.api.Test;

class WorkerSpecTest {
  @Test
  void countsTheExternalResourcesOfAWorker() {
    WorkerSpec spec =
        WorkerSpec.of(
            ShippedSizes.in(Configuration.EMPTY)
                .with(Options.SLOTS, 2)
                .with("external-resources", "gpu;fpga")
                .with("external-resource.gpu.amount", "4")
                .with("external-resource.fpga.amount", "1"));
    assertThat(spec.total().count("gpu")).isEqualTo(4);
    assertThat(spec.slot().count("gpu")).isEqualTo(2);
    assertThat(spec.total().count("fpga")).isEqualTo(1);
    assertThat(spec.slot().count("fpga")).isZero();
  }
}
