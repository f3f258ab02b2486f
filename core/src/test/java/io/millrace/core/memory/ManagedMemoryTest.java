package io.millrace.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import org.junit.jupiter.api.Test;

class ManagedMemoryTest {
  private static final long MB = 1 << 20;

  @Test
  @Behaviour(
      "F6: tasks of a slot share its managed memory; an error names the option and the value to"
          + " set")
  void tasksOfASlotShareIt() {
    ManagedMemory slot = ManagedMemory.share(10 * MB, 2);
    ManagedMemory.Lease sort = slot.lease("'sort'");
    ManagedMemory.Lease join = slot.lease("'join'");

    sort.reserve(6 * MB);
    join.reserve(4 * MB);
    assertThat(slot.free()).isZero();
    sort.release(MB);
    join.reserve(MB);
    assertThat(sort.held()).isEqualTo(5 * MB);
    assertThat(join.held()).isEqualTo(5 * MB);
  }

  @Test
  void closedLeaseReleasesItsMemory() {
    ManagedMemory slot = ManagedMemory.share(10 * MB, 2);
    ManagedMemory.Lease sort = slot.lease("'sort'");
    sort.reserve(6 * MB);
    sort.close();
    sort.close();
    assertThat(slot.free()).isEqualTo(10 * MB);
    assertThatThrownBy(() -> sort.reserve(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @Behaviour(
      "F6: tasks of a slot share its managed memory; an error names the option and the value to"
          + " set")
  void errorNamesTheOptionAndTheNeededValue() {
    ManagedMemory slot = ManagedMemory.share(10 * MB, 2);
    slot.lease("'join'").reserve(8 * MB);
    ManagedMemory.Lease sort = slot.lease("'sort' (1/4)");
    assertThatThrownBy(() -> sort.reserve(4 * MB))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.RESOURCE))
        .hasMessage(
            "Task 'sort' (1/4) needs 4 mb of managed memory, but of the 10 mb of its slot 2 mb are"
                + " free. Set taskmanager.memory.managed.size to 24mb or more for the 2 slots of"
                + " a TaskManager (or raise taskmanager.memory.managed.fraction).");
    assertThat(sort.held()).isZero();
    assertThat(slot.free()).isEqualTo(2 * MB);
  }

  @Test
  void errorNamesTheNeededDeclarationOfTheJob() {
    assertThatThrownBy(() -> ManagedMemory.declared(MB).lease("'sort'").reserve(MB + 1))
        .hasMessageContaining("Declare at least 1025kb as managedMemory of its slot sharing group");
    assertThatThrownBy(() -> ManagedMemory.NONE.lease("'sort'").reserve(1))
        .hasMessageContaining("of the 0 bytes of its slot");
  }

  @Test
  void rejectsReleaseOfMoreThanReserved() {
    ManagedMemory.Lease sort = ManagedMemory.declared(MB).lease("'sort'");
    sort.reserve(10);
    assertThatThrownBy(() -> sort.release(11)).isInstanceOf(IllegalStateException.class);
    assertThat(sort.held()).isEqualTo(10);
  }
}
