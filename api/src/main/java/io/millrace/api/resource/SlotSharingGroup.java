package io.millrace.api.resource;

import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * A group of operators whose subtasks share slots, and the resources of each of these slots. A
 * group without declared resources uses slots of any size; a job declares the resources of all its
 * groups or of none.
 *
 * <pre>{@code
 * SlotSharingGroup scoring =
 *     SlotSharingGroup.newBuilder("scoring")
 *         .cpuCores(1)
 *         .taskHeapMemory(MemorySize.ofMebi(512))
 *         .externalResource("gpu", 1)
 *         .build();
 * orders.map(order -> order.cents() * 0.2).slotSharingGroup(scoring).print();
 * }</pre>
 *
 * @param resources of one slot; {@link ResourceProfile#UNSPECIFIED} if none are declared
 */
public record SlotSharingGroup(String name, ResourceProfile resources) {
  private static final double LEAST_CPU = 0.000_001;

  public SlotSharingGroup {
    checkName(name);
    Objects.requireNonNull(resources);
  }

  private static String checkName(String name) {
    if (name == null || name.isBlank()) {
      throw new MillraceException(
          ErrorKind.USER, "The name of a slot sharing group must not be empty.");
    }
    return name;
  }

  /** A group that declares no resources. */
  public static SlotSharingGroup named(String name) {
    return new SlotSharingGroup(name, ResourceProfile.UNSPECIFIED);
  }

  /** Declares resources: cores and heap always, the rest where it is needed. */
  public static Builder newBuilder(String name) {
    return new Builder(name);
  }

  /** Collects what a slot of the group must have. */
  public static final class Builder {
    private final String name;
    private OptionalDouble cpuCores = OptionalDouble.empty();
    private long taskHeap;
    private long taskOffHeap;
    private long managed;
    private final Map<String, Long> external = new TreeMap<>();

    private Builder(String name) {
      this.name = checkName(name);
    }

    /** May be a fraction. */
    public Builder cpuCores(double cpuCores) {
      if (!(cpuCores >= LEAST_CPU) || cpuCores > Integer.MAX_VALUE) {
        throw wrong("needs a positive number of cpu cores; this is " + cpuCores + ".");
      }
      this.cpuCores = OptionalDouble.of(cpuCores);
      return this;
    }

    /** Heap that the group's functions use. */
    public Builder taskHeapMemory(MemorySize size) {
      if (size.bytes() == 0) {
        throw wrong("needs some task heap memory; this is none.");
      }
      this.taskHeap = size.bytes();
      return this;
    }

    public Builder taskHeapMemoryMB(int mebibytes) {
      return taskHeapMemory(mebibytes("task heap", mebibytes));
    }

    /** Memory outside of the heap that the group's functions use themselves. */
    public Builder taskOffHeapMemory(MemorySize size) {
      this.taskOffHeap = size.bytes();
      return this;
    }

    public Builder taskOffHeapMemoryMB(int mebibytes) {
      return taskOffHeapMemory(mebibytes("task off-heap", mebibytes));
    }

    /** Memory that the engine manages for the group's operators. */
    public Builder managedMemory(MemorySize size) {
      this.managed = size.bytes();
      return this;
    }

    public Builder managedMemoryMB(int mebibytes) {
      return managedMemory(mebibytes("managed", mebibytes));
    }

    /** How many of an external resource, such as GPUs. */
    public Builder externalResource(String resource, long count) {
      if (resource == null || resource.isBlank() || count < 1) {
        throw wrong("needs a name and a positive count of each external resource.");
      }
      external.put(resource, count);
      return this;
    }

    public SlotSharingGroup build() {
      boolean nothing = taskOffHeap == 0 && managed == 0 && external.isEmpty();
      if (cpuCores.isEmpty() && taskHeap == 0 && nothing) {
        return named(name);
      }
      if (cpuCores.isEmpty() || taskHeap == 0) {
        throw wrong(
            "declares resources without "
                + (cpuCores.isEmpty() ? "cpu cores" : "task heap memory")
                + ". Say both cpuCores and taskHeapMemory, or nothing.");
      }
      return new SlotSharingGroup(
          name,
          new ResourceProfile(cpuCores.getAsDouble(), taskHeap, taskOffHeap, managed, 0, external));
    }

    private MemorySize mebibytes(String what, int mebibytes) {
      if (mebibytes < 0) {
        throw wrong("cannot have " + mebibytes + " MB of " + what + " memory.");
      }
      return MemorySize.ofMebi(mebibytes);
    }

    private MillraceException wrong(String what) {
      return new MillraceException(ErrorKind.USER, "Slot sharing group '" + name + "' " + what);
    }
  }
}
