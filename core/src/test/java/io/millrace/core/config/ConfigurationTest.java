package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ConfigurationTest {
  private static final Configuration EMPTY = Configuration.EMPTY;

  @Test
  void optionThatIsNotSetHasItsDefault() {
    assertThat(EMPTY.get(TaskManagerOptions.NUM_TASK_SLOTS)).isEqualTo(1);
    assertThat(EMPTY.contains(TaskManagerOptions.NUM_TASK_SLOTS)).isFalse();
    assertThat(EMPTY.find(TaskManagerOptions.RESOURCE_ID)).isEmpty();
  }

  @Test
  void errorNamesOptionWithoutValueAndDefault() {
    assertUserError(
        () -> EMPTY.get(TaskManagerOptions.RESOURCE_ID),
        "Option 'taskmanager.resource-id' is not set and has no default");
  }

  @Test
  void everyTypeParsesItsOwnText() {
    assertHolds(TaskManagerOptions.NUM_TASK_SLOTS, 4);
    assertHolds(DeploymentOptions.ATTACHED, false);
    assertHolds(DeploymentOptions.TARGET, "remote");
    assertHolds(RestartStrategyOptions.FIXED_DELAY, Duration.ofMillis(1500));
    assertHolds(RestartStrategyOptions.FIXED_DELAY, Duration.ofNanos(1_000_001));
    assertHolds(RestOptions.SERVER_MAX_CONTENT_LENGTH, new MemorySize((1L << 30) + 1));
    assertHolds(RestartStrategyOptions.RESTART_STRATEGY, RestartStrategy.FIXED_DELAY);
    assertHolds(CoreOptions.PARENT_FIRST_PATTERNS, List.of("a.", "b."));
  }

  private static <T> void assertHolds(Option<T> option, T value) {
    assertThat(EMPTY.with(option, value).get(option)).isEqualTo(value);
  }

  @Test
  void flagsAndChoicesIgnoreCase() {
    assertThat(EMPTY.with("execution.attached", " Off ").get(DeploymentOptions.ATTACHED)).isFalse();
    assertThat(EMPTY.with("execution.attached", "yes").get(DeploymentOptions.ATTACHED)).isTrue();
    for (String spelling : List.of("fixed-delay", "FIXED_DELAY", "Fixed-Delay")) {
      assertThat(
              EMPTY
                  .with("restart-strategy.type", spelling)
                  .get(RestartStrategyOptions.RESTART_STRATEGY))
          .isEqualTo(RestartStrategy.FIXED_DELAY);
    }
  }

  @Test
  void listsAcceptBothSeparatorsAndDropBlanks() {
    assertThat(
            EMPTY
                .with("classloader.parent-first-patterns.default", "a.; b.,,c.;")
                .get(CoreOptions.PARENT_FIRST_PATTERNS))
        .containsExactly("a.", "b.", "c.");
  }

  @Test
  void errorOfAnInvalidValueNamesKeyTypeAndValue() {
    assertUserError(
        () -> EMPTY.with("rest.port", "http").get(RestOptions.PORT),
        "Option 'rest.port' needs a value of type Ports, not 'http' ('http' is not a port from 0 to 65535)");
    assertUserError(
        () -> EMPTY.with("execution.attached", "maybe").get(DeploymentOptions.ATTACHED),
        "use true or false");
    assertUserError(
        () ->
            EMPTY
                .with("restart-strategy.type", "pray")
                .get(RestartStrategyOptions.RESTART_STRATEGY),
        "needs a value of type none|fixed-delay|failure-rate|exponential-delay, not 'pray'");
  }

  @Test
  void overflowIsAUserError() {
    assertUserError(
        () ->
            EMPTY
                .with(RestartStrategyOptions.FIXED_DELAY, "9223372036854775807 d")
                .get(RestartStrategyOptions.FIXED_DELAY),
        "Option 'restart-strategy.fixed-delay.delay' needs a value of type Duration");
    assertUserError(
        () ->
            EMPTY
                .with(RestOptions.SERVER_MAX_CONTENT_LENGTH, "99999999999 tb")
                .get(RestOptions.SERVER_MAX_CONTENT_LENGTH),
        "Option 'rest.server.max-content-length' needs a value of type MemorySize");
  }

  @Test
  void unknownKeyIsRejectedWithASuggestion() {
    assertUserError(
        () -> EMPTY.with("taskmanager.numberOfTaskSlot", "2").check(DeclaredOptions.all()),
        "Unknown option 'taskmanager.numberOfTaskSlot'."
            + " Did you mean 'taskmanager.numberOfTaskSlots'?");
    assertUserError(
        () -> EMPTY.with("resr.prot", "1").check(DeclaredOptions.all()),
        "Did you mean 'rest.port'?");
  }

  @Test
  void unknownKeyWithoutSuggestionPointsToTheReference() {
    assertUserError(
        () -> EMPTY.with("zzz", "2").check(DeclaredOptions.all()),
        "Unknown option 'zzz'. See docs/options.md for all options.");
  }

  @Test
  void checkAlsoParsesValues() {
    EMPTY.with(RestOptions.PORT, 0).check(DeclaredOptions.all());
    assertUserError(
        () -> EMPTY.with("rest.port", "x").check(DeclaredOptions.all()),
        "Option 'rest.port' needs");
  }

  @Test
  void keysWithPlaceholdersAreKnown() {
    EMPTY
        .with("external-resources", "gpu;fpga")
        .with("external-resource.gpu.amount", "2")
        .with("external-resource.gpu.param.discovery-script.path", "find.sh")
        .check(DeclaredOptions.all());
    assertUserError(
        () -> EMPTY.with("external-resource.gpu.amount", "x").check(DeclaredOptions.all()),
        "needs a value of type Integer");
    assertUserError(
        () -> EMPTY.with("external-resource.gpu.amont", "2").check(DeclaredOptions.all()),
        "Unknown option 'external-resource.gpu.amont'."
            + " Did you mean 'external-resource.<name>.amount'?");
    assertUserError(
        () -> EMPTY.with("external-resource.a.b.amount", "2").check(DeclaredOptions.all()),
        "Unknown option");
  }

  @Test
  void overridesReplaceAndAdd() {
    Configuration base = EMPTY.with(RestOptions.PORT, 1).with(TaskManagerOptions.NUM_TASK_SLOTS, 2);
    Configuration over = EMPTY.with(RestOptions.PORT, 3).with(DeploymentOptions.TARGET, "remote");
    Configuration both = base.overriddenBy(over);
    assertThat(both.get(RestOptions.PORT)).hasToString("3");
    assertThat(both.get(TaskManagerOptions.NUM_TASK_SLOTS)).isEqualTo(2);
    assertThat(both.get(DeploymentOptions.TARGET)).isEqualTo("remote");
    assertThat(base.get(RestOptions.PORT)).hasToString("1");
  }

  @Test
  void entriesAreCopiedAndSorted() {
    Map<String, String> entries = new HashMap<>(Map.of("b", "1", "a", "2", "c", "3"));
    Configuration configuration = new Configuration(entries);
    entries.put("d", "4");
    assertThat(configuration.entries().keySet()).containsExactly("a", "b", "c");
  }

  @Test
  void everyOptionIsDeclaredOnceWithADescription() {
    Set<String> keys = new LinkedHashSet<>();
    for (Option<?> option : DeclaredOptions.all()) {
      assertThat(keys.add(option.key())).as("'%s' is declared once", option.key()).isTrue();
      assertThat(option.description()).as(option.key()).isNotBlank().endsWith(".");
    }
    assertThat(keys).contains("rest.port", "parallelism.default");
  }

  @Test
  void valuesOutOfRangeAreRejectedWithTheRange() {
    assertUserError(
        () -> EMPTY.with("taskmanager.numberOfTaskSlots", "99999").check(DeclaredOptions.all()),
        "Option 'taskmanager.numberOfTaskSlots' is 99999, but it takes 1 to 32768.");
    assertUserError(
        () -> EMPTY.with("taskmanager.cores", "-7").check(DeclaredOptions.all()),
        "Option 'taskmanager.cores' is -7, but it takes 1 to 4096, or -1.");
    assertUserError(
        () -> EMPTY.with("taskmanager.memory.segment-size", "0").check(DeclaredOptions.all()),
        "Option 'taskmanager.memory.segment-size' is 0, but it takes 1kb to 16mb.");
    assertUserError(
        () -> EMPTY.with("jobstore.max-capacity", "-1").check(DeclaredOptions.all()),
        "Option 'jobstore.max-capacity' is -1, but it takes at least 1.");
    assertUserError(
        () -> EMPTY.with("heartbeat.interval", "0 s").check(DeclaredOptions.all()),
        "Option 'heartbeat.interval' is 0 s, but it takes at least 1 ms.");
    assertUserError(
        () -> EMPTY.with("heartbeat.interval", "-5 s").check(DeclaredOptions.all()),
        "Option 'heartbeat.interval' is -5 s, but it takes at least 1 ms.");
    assertUserError(
        () -> EMPTY.with("taskmanager.cpu.cores", "0").check(DeclaredOptions.all()),
        "Option 'taskmanager.cpu.cores' is 0, but it takes more than 0.");
    assertUserError(
        () -> EMPTY.with("taskmanager.cpu.cores", "NaN").check(DeclaredOptions.all()),
        "Option 'taskmanager.cpu.cores' needs a value of type Double, not 'NaN'");
    assertUserError(
        () -> EMPTY.with("taskmanager.memory.managed.fraction", "1").check(DeclaredOptions.all()),
        "Option 'taskmanager.memory.managed.fraction' is 1, but it takes at least 0 and less than 1.");
    assertUserError(
        () -> EMPTY.with("external-resource.gpu.amount", "0").check(DeclaredOptions.all()),
        "Option 'external-resource.gpu.amount' is 0, but it takes at least 1.");
    assertUserError(
        () -> EMPTY.with("parallelism.default", "99999999999").check(DeclaredOptions.all()),
        "It takes 1 to 32768.");
  }

  @Test
  void boundsAndSingleValuesBelongToARange() {
    EMPTY
        .with("rest.port", "65535")
        .with("taskmanager.cores", "-1")
        .with("pipeline.max-parallelism", "32768")
        .with("taskmanager.memory.segment-size", "1kb")
        .check(DeclaredOptions.all());
  }

  @Test
  void everyNumberHasARangeThatContainsItsDefault() {
    for (Option<?> option : DeclaredOptions.all()) {
      boolean number =
          Set.of("Integer", "Double", "Float", "Duration", "MemorySize").contains(option.type());
      assertThat(option.range().isPresent()).as(option.key()).isEqualTo(number);
      option.defaultText().ifPresent(option::parse);
    }
  }

  private static void assertUserError(ThrowingCallable action, String message) {
    assertThatThrownBy(action)
        .hasMessageContaining(message)
        .asInstanceOf(InstanceOfAssertFactories.type(MillraceException.class))
        .extracting(MillraceException::kind)
        .isEqualTo(ErrorKind.USER);
  }
}
