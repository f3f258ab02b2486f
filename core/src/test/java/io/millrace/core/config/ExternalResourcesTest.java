package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExternalResourcesTest {
  private static final Configuration TWO =
      Configuration.EMPTY
          .with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, List.of("gpu", "fpga"))
          .with("external-resource.gpu.amount", "2")
          .with("external-resource.fpga.amount", "1")
          .with("external-resource.gpu.param.discovery-script.path", "find.sh")
          .with("external-resource.gpu.param.vendor", "any")
          .with("external-resource.other.amount", "7");

  @Test
  void readsTheAmountsOfListedResources() {
    assertThat(ExternalResources.amounts(TWO))
        .containsExactly(Map.entry("fpga", 1L), Map.entry("gpu", 2L));
    assertThat(ExternalResources.amounts(Configuration.EMPTY)).isEmpty();
  }

  @Test
  void parametersHaveNoKeyPrefix() {
    assertThat(ExternalResources.parameters(TWO, "gpu"))
        .containsExactly(Map.entry("discovery-script.path", "find.sh"), Map.entry("vendor", "any"));
    assertThat(ExternalResources.parameters(TWO, "fpga")).isEmpty();
  }

  @Test
  void rejectsMissingAmountAndInvalidName() {
    Configuration gpu =
        Configuration.EMPTY.with(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, List.of("gpu"));
    assertThatThrownBy(() -> ExternalResources.amounts(gpu))
        .hasMessageContaining("Option 'external-resource.gpu.amount' is not set");
    assertThatThrownBy(
            () -> ExternalResources.amounts(gpu.with("external-resource.gpu.amount", "0")))
        .hasMessageContaining("'external-resource.gpu.amount' is 0, but it takes at least 1");
    assertThatThrownBy(
            () ->
                ExternalResources.amounts(
                    Configuration.EMPTY.with(
                        ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, List.of("a.b"))))
        .hasMessageContaining("dot in its name");
  }
}
