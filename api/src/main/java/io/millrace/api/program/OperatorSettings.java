package io.millrace.api.program;

import io.millrace.api.resource.SlotSharingGroup;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a program says about the running of one operator; what it leaves open is decided when the
 * graph is made.
 *
 * @param uid names the operator across versions of the program
 * @param description shown in plans instead of the name
 */
public record OperatorSettings(
    Optional<String> uid,
    OptionalInt parallelism,
    OptionalInt maxParallelism,
    Optional<SlotSharingGroup> slotSharingGroup,
    Chaining chaining,
    Optional<String> description) {

  public static final OperatorSettings UNSET =
      new OperatorSettings(
          Optional.empty(),
          OptionalInt.empty(),
          OptionalInt.empty(),
          Optional.empty(),
          Chaining.ALWAYS,
          Optional.empty());

  public OperatorSettings {
    Objects.requireNonNull(uid);
    Objects.requireNonNull(parallelism);
    Objects.requireNonNull(maxParallelism);
    Objects.requireNonNull(slotSharingGroup);
    Objects.requireNonNull(chaining);
    Objects.requireNonNull(description);
  }

  /** Settings without a description. */
  public OperatorSettings(
      Optional<String> uid,
      OptionalInt parallelism,
      OptionalInt maxParallelism,
      Optional<SlotSharingGroup> slotSharingGroup,
      Chaining chaining) {
    this(uid, parallelism, maxParallelism, slotSharingGroup, chaining, Optional.empty());
  }

  public OperatorSettings withUid(String uid) {
    return new OperatorSettings(
        Optional.of(uid), parallelism, maxParallelism, slotSharingGroup, chaining, description);
  }

  public OperatorSettings withParallelism(int parallelism) {
    return new OperatorSettings(
        uid, OptionalInt.of(parallelism), maxParallelism, slotSharingGroup, chaining, description);
  }

  public OperatorSettings withMaxParallelism(int maxParallelism) {
    return new OperatorSettings(
        uid, parallelism, OptionalInt.of(maxParallelism), slotSharingGroup, chaining, description);
  }

  public OperatorSettings withSlotSharingGroup(SlotSharingGroup group) {
    return new OperatorSettings(
        uid, parallelism, maxParallelism, Optional.of(group), chaining, description);
  }

  public OperatorSettings withChaining(Chaining chaining) {
    return new OperatorSettings(
        uid, parallelism, maxParallelism, slotSharingGroup, chaining, description);
  }

  public OperatorSettings withDescription(String description) {
    return new OperatorSettings(
        uid, parallelism, maxParallelism, slotSharingGroup, chaining, Optional.of(description));
  }
}
