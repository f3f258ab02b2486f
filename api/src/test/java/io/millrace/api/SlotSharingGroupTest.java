package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotSharingGroupTest {
  @Test
  void declaresWhatASlotMustHave() {
    SlotSharingGroup group =
        SlotSharingGroup.newBuilder("a")
            .cpuCores(1.5)
            .taskHeapMemoryMB(100)
            .taskOffHeapMemory(MemorySize.parse("10kb"))
            .managedMemoryMB(64)
            .externalResource("gpu", 1)
            .build();
    assertThat(group.name()).isEqualTo("a");
    assertThat(group.resources())
        .isEqualTo(new ResourceProfile(1.5, 100 << 20, 10 << 10, 64 << 20, 0, Map.of("gpu", 1L)));
  }

  @Test
  void declaresNothingWhereNothingIsSaid() {
    assertThat(SlotSharingGroup.newBuilder("a").build()).isEqualTo(SlotSharingGroup.named("a"));
    assertThat(SlotSharingGroup.named("a").resources().isUnspecified()).isTrue();
  }

  @Test
  void refusesADeclarationWithoutCoresOrHeap() {
    assertThatThrownBy(SlotSharingGroup.newBuilder("a").managedMemoryMB(1)::build)
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("'a' declares resources without cpu cores");
    assertThatThrownBy(SlotSharingGroup.newBuilder("a").cpuCores(1)::build)
        .hasMessageContaining("without task heap memory");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, 1e-9, Double.POSITIVE_INFINITY})
  void refusesCoresThatAreNone(double cores) {
    assertThatThrownBy(() -> SlotSharingGroup.newBuilder("a").cpuCores(cores))
        .hasMessageContaining("positive number of cpu cores");
  }

  @Test
  void refusesWhatCannotBe() {
    SlotSharingGroup.Builder builder = SlotSharingGroup.newBuilder("a");
    assertThatThrownBy(() -> builder.taskHeapMemoryMB(0)).hasMessageContaining("this is none");
    assertThatThrownBy(() -> builder.managedMemoryMB(-1)).hasMessageContaining("-1 MB of managed");
    assertThatThrownBy(() -> builder.externalResource("gpu", 0)).hasMessageContaining("positive");
    assertThatThrownBy(() -> builder.externalResource(" ", 1)).hasMessageContaining("name");
    assertThatThrownBy(() -> SlotSharingGroup.newBuilder("")).hasMessageContaining("empty");
  }
}
