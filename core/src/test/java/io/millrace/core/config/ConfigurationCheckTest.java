package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which keys are known, whose they are, and what an unknown one is told. */
class ConfigurationCheckTest {
  private static final Option<Integer> PLUGGED =
      Option.integer("yarn.retries", 3, "Number of retries.").between(0, 9);

  private final Configuration empty = Configuration.EMPTY;
  private final AtomicInteger asked = new AtomicInteger();

  private final OptionProvider provider =
      new OptionProvider() {
        @Override
        public List<Option<?>> options() {
          return List.of(PLUGGED);
        }

        @Override
        public Map<String, String> unsupported() {
          return Map.of("yarn.classic.*", "Millrace has one way to do it");
        }
      };

  @Test
  void pluginsAreAskedOnceAndOnlyForKeysThatTheEngineDoesNotKnow() {
    ConfigurationCheck check = withPlugin(empty);

    check.keys(empty.with("rest.port", "1"));
    assertThat(asked).hasValue(0);

    check.keys(empty.with("yarn.retries", "1"));
    assertThat(check.unknown(empty.with("yarn.retires", "2").with("zzz", "3"))).hasSize(2);
    assertThat(asked).hasValue(1);
  }

  @Test
  void optionOfAPluginIsKnownAndItsValuesAreChecked() {
    ConfigurationCheck check = withPlugin(empty);

    assertThat(check.option("yarn.retries")).contains(PLUGGED);
    assertThat(check.unknown(empty.with("yarn.retries", "4"))).isEmpty();
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> check.values(empty.with("yarn.retries", "10")))
        .withMessage("Option 'yarn.retries' is 10, but it takes 0 to 9.");
  }

  @Test
  void optionOfAPluginIsSuggested() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> withPlugin(empty).keys(empty.with("yarn.retires", "1")))
        .withMessage("Unknown option 'yarn.retires'. Did you mean 'yarn.retries'?");
  }

  @Test
  void keyThatAPluginDoesNotSupportIsRefusedWithItsReason() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> withPlugin(empty).keys(empty.with("yarn.classic.scheduler.mode", "x")))
        .withMessage(
            "Option 'yarn.classic.scheduler.mode' of Flink has no effect: Millrace has one way to"
                + " do it. Remove it.");
  }

  /** A configuration file may be shared with other programs, so its keys are not refused. */
  @Test
  void unknownKeysAreIgnoredWhenValuesAreChecked() {
    assertThatCode(() -> check(empty).values(empty.with("zzz.unknown", "x")))
        .doesNotThrowAnyException();
  }

  @Test
  void firstUnknownKeyByNameIsRefused() {
    Configuration wrong = empty.with("zzz", "1").with("aaa", "2").with("rest.port", "1");

    assertThat(check(empty).unknown(wrong)).containsExactly("aaa", "zzz");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> check(empty).keys(wrong))
        .withMessageStartingWith("Unknown option 'aaa'.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mine", "mine.rate", "mine.deep.er", "yours", "other.a"})
  void keysBelowAGlobalJobParameterBelongToTheProgram(String key) {
    Configuration whole =
        empty.with(PipelineOptions.GLOBAL_JOB_PARAMETERS.key(), "mine;yours:1;other.");

    assertThat(check(whole).unknown(empty.with(key, "1"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"miner", "min", "other", "xmine.rate"})
  void keysBesideAGlobalJobParameterDoNotBelongToTheProgram(String key) {
    Configuration whole = empty.with(PipelineOptions.GLOBAL_JOB_PARAMETERS.key(), "mine;other.");

    assertThat(check(whole).unknown(empty.with(key, "1"))).containsExactly(key);
  }

  /** The program's keys do not cost a look into the plugins. */
  @Test
  void keysOfTheProgramAreNotLookedUpInPlugins() {
    Configuration whole = empty.with(PipelineOptions.GLOBAL_JOB_PARAMETERS.key(), "mine");

    assertThat(withPlugin(whole).unknown(empty.with("mine.rate", "1"))).isEmpty();
    assertThat(asked).hasValue(0);
  }

  @ParameterizedTest
  @CsvSource({
    "parallelism.defualt, parallelism.default",
    "parallelism_default, parallelism.default",
    "heartbeat.timout, heartbeat.timeout",
    "Rest.Port, rest.port",
    "restport, rest.port",
    "taskmanager.numberoftaskslots, taskmanager.numberOfTaskSlots",
    "slot.requst.timeout, slot.request.timeout",
  })
  void nearestOptionIsSuggested(String wrong, String right) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> check(empty).keys(empty.with(wrong, "1")))
        .withMessage("Unknown option '" + wrong + "'. Did you mean '" + right + "'?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"zzz", "my.private.setting.of.the.program.x", "q"})
  void farKeyGetsNoSuggestion(String key) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> check(empty).keys(empty.with(key, "1")))
        .withMessage("Unknown option '" + key + "'. See docs/options.md for all options.");
  }

  /** A key that lacks one character leads back to the declared key, unless it is one itself. */
  @Test
  void missingCharacterIsCorrected() {
    ConfigurationCheck check = check(empty);
    for (Option<?> option : DeclaredOptions.builtIn()) {
      String key = option.key();
      int middle = key.length() / 2;
      String dropped = key.substring(0, middle) + key.substring(middle + 1);
      if (key.contains("<") || check.option(dropped).isPresent()) {
        continue;
      }
      assertThatExceptionOfType(MillraceException.class)
          .isThrownBy(() -> check.keys(empty.with(dropped, "1")))
          .withMessageEndingWith("Did you mean '" + key + "'?");
    }
  }

  @Test
  void warningListsUnknownKeysWithSuggestions() {
    assertThat(check(empty).warning("conf/config.yaml", List.of("rest.prt", "zzz")))
        .isEqualTo(
            "conf/config.yaml sets unknown options, which are ignored: rest.prt (did you mean"
                + " rest.port?), zzz. Use the prefix user. for keys of your own.");
  }

  @Test
  void warningTellsOptionsOfFlinkApart() {
    String flink = "jobmanager.failure-enrichers";
    assertThat(check(empty).warning("conf/config.yaml", List.of(flink)))
        .isEqualTo(
            "conf/config.yaml sets options of Flink that have no effect: "
                + flink
                + "; see docs/options.md.");
    assertThat(check(empty).warning("conf/config.yaml", List.of("zzz", flink)))
        .isEqualTo(
            "conf/config.yaml sets unknown options, which are ignored: zzz. Use the prefix user."
                + " for keys of your own. It sets options of Flink that have no effect: "
                + flink
                + "; see docs/options.md.");
  }

  @Test
  void keyOfAFamilyIsCheckedLikeTheFamily() {
    Option<?> amount = check(empty).option("external-resource.gpu.amount").orElseThrow();

    assertThat(amount.key()).isEqualTo("external-resource.gpu.amount");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> amount.parse("0"))
        .withMessageStartingWith("Option 'external-resource.gpu.amount' is 0");
  }

  private static ConfigurationCheck check(Configuration whole) {
    return new ConfigurationCheck(DeclaredOptions.builtIn(), whole);
  }

  private ConfigurationCheck withPlugin(Configuration whole) {
    return new ConfigurationCheck(
        DeclaredOptions.builtIn(),
        () -> {
          asked.incrementAndGet();
          return List.of(provider);
        },
        whole);
  }
}
