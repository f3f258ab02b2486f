package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.MemorySize;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Declarations: types, ranges, families of keys, and texts that parse to the same value. */
class OptionTest {
  private static final Option<String> PARAMETER =
      Option.text("service.<name>.param.<parameter>", "A parameter.");
  private static final Option<Integer> AMOUNT =
      Option.integer("service.<name>.amount", "An amount.");

  @ParameterizedTest
  @CsvSource({
    "service.gpu.amount, true",
    "service.a-b_c.amount, true",
    "service..amount, false",
    "service.a.b.amount, false",
    "service.gpu.amounts, false",
    "xservice.gpu.amount, false",
    "servicexgpu.amount, false",
    "service.amount, false",
  })
  void nameInTheMiddleOfAFamilyHasNoDot(String key, boolean matches) {
    assertThat(AMOUNT.matches(key)).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "service.gpu.param.path, true",
    "service.gpu.param.discovery.script.path, true",
    "service.gpu.param., false",
    "service.a.b.param.path, false",
  })
  void nameAtTheEndOfAFamilyMayHaveDots(String key, boolean matches) {
    assertThat(PARAMETER.matches(key)).isEqualTo(matches);
  }

  @Test
  void optionWithoutPlaceholderMatchesNoOtherKey() {
    Option<Integer> plain = Option.integer("rest.port", 1, "A port.");

    assertThat(plain.matches("rest.port")).isFalse();
    assertThat(plain.matches("rest.portx")).isFalse();
  }

  @Test
  void placeholdersAreFilledFromLeftToRight() {
    assertThat(PARAMETER.named("gpu", "path").key()).isEqualTo("service.gpu.param.path");
    assertThat(PARAMETER.named("gpu").key()).isEqualTo("service.gpu.param.<parameter>");
    assertThat(PARAMETER.named("a$1\\b", "c").key()).isEqualTo("service.a$1\\b.param.c");
  }

  @Test
  void memberOfAFamilyKeepsTypeRangeAndScope() {
    Option<Integer> member = AMOUNT.between(1, 4).perJob().named("gpu");

    assertThat(member.type()).isEqualTo("Integer");
    assertThat(member.scope()).isEqualTo(OptionScope.JOB);
    assertThat(member.range()).contains("1 to 4");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> member.parse("5"))
        .withMessage("Option 'service.gpu.amount' is 5, but it takes 1 to 4.");
  }

  @Test
  void rangesAreToldInWords() {
    Option<Integer> number = Option.integer("n", "A number.");

    assertThat(number.range()).isEmpty();
    assertThat(number.between(1, 9).range()).contains("1 to 9");
    assertThat(number.atLeast(1).range()).contains("at least 1");
    assertThat(number.moreThan(0).range()).contains("more than 0");
    assertThat(number.lessThan(10).range()).contains("less than 10");
    assertThat(number.moreThan(0).lessThan(10).range()).contains("more than 0 and less than 10");
    assertThat(number.atLeast(0).lessThan(10).range()).contains("at least 0 and less than 10");
    assertThat(number.between(1, 9).or(-1).range()).contains("1 to 9, or -1");
    assertThat(number.between(1, 9).or(-1).or(100).range()).contains("1 to 9, or -1, or 100");
  }

  /** Each value between -3 and 13 against the bounds, one by one. */
  @Test
  void boundsAreIncludedExactlyWhereTheTextSaysSo() {
    Option<Integer> number = Option.integer("n", "A number.");
    for (int value = -3; value <= 13; value++) {
      assertAllowed(number, value, true);
      assertAllowed(number.between(1, 9), value, value >= 1 && value <= 9);
      assertAllowed(number.atLeast(1), value, value >= 1);
      assertAllowed(number.moreThan(1), value, value > 1);
      assertAllowed(number.lessThan(9), value, value < 9);
      assertAllowed(number.between(1, 9).or(-1), value, value == -1 || (value >= 1 && value <= 9));
    }
  }

  private static void assertAllowed(Option<Integer> option, int value, boolean allowed) {
    boolean parsed;
    try {
      parsed = option.parse(String.valueOf(value)) == value;
    } catch (MillraceException e) {
      parsed = false;
    }
    assertThat(parsed).as("%d in %s", value, option.range()).isEqualTo(allowed);
  }

  @Test
  void rangeOfSizesAndDurationsComparesAmountsNotTexts() {
    Option<MemorySize> size = Option.memory("size", "A size.").between("1kb", "1mb");
    assertThat(size.parse("1024").bytes()).isEqualTo(1024);
    assertThat(size.parse("1024kb").bytes()).isEqualTo(1 << 20);
    assertThatExceptionOfType(MillraceException.class).isThrownBy(() -> size.parse("1023b"));
    assertThatExceptionOfType(MillraceException.class).isThrownBy(() -> size.parse("1025kb"));

    Option<Duration> time = Option.duration("time", "A time.").atLeast("1 s");
    assertThat(time.parse("1000 ms")).isEqualTo(Duration.ofSeconds(1));
    assertThatExceptionOfType(MillraceException.class).isThrownBy(() -> time.parse("999 ms"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-5 s", "- 5 s", "-5"})
  void negativeDurationIsRefusedByTheRangeAndNotByItsForm(String text) {
    Option<Duration> time = Option.duration("time", "A time.").atLeast("0 ms");

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> time.parse(text))
        .withMessage("Option 'time' is " + text + ", but it takes at least 0 ms.");
  }

  @Test
  void textOfAFormMustMatchItOrBeEmpty() {
    Option<String> memory = Option.text("ids", Pattern.compile("[a-z]+-\\d+"), "node-7", "An id.");

    assertThat(memory.parse("rack-12")).isEqualTo("rack-12");
    assertThat(memory.parse("  ")).isEmpty();
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> memory.parse("12"))
        .withMessage(
            "Option 'ids' needs a value of type String, not '12' (use a value such as node-7).");
  }

  @Test
  void errorAboutASecretDoesNotShowIt() {
    Option<String> secret =
        Option.text("store.password", Pattern.compile("\\d+"), "1234", "A password.");

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> secret.parse("hunter2"))
        .withMessageContaining("'(hidden)'")
        .satisfies(e -> assertThat(e).hasMessageNotContaining("hunter2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "", "1,5", "0x1"})
  void decimalsAreFiniteNumbers(String text) {
    Option<Double> decimal = Option.decimal("d", "A decimal.");
    Option<Float> fraction = Option.fraction("f", 0.5f, "A fraction.");

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> decimal.parse(text))
        .withMessageStartingWith("Option 'd' needs a value of type Double, not '" + text + "'");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> fraction.parse(text))
        .withMessageStartingWith("Option 'f' needs a value of type Float, not '" + text + "'");
  }

  @Test
  void choiceNamesAllItsValuesAsTheyAreWritten() {
    Option<RestartStrategy> choice =
        Option.choice("c", RestartStrategy.class, RestartStrategy.FIXED_DELAY, "A choice.");

    assertThat(choice.type()).isEqualTo("none|fixed-delay|failure-rate|exponential-delay");
    assertThat(choice.defaultText()).contains("fixed-delay");
    assertThat(choice.parse("Fixed_Delay")).isEqualTo(RestartStrategy.FIXED_DELAY);
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> choice.parse("fixed delay"))
        .withMessage(
            "Option 'c' needs a value of type none|fixed-delay|failure-rate|exponential-delay, not 'fixed delay' (not an allowed"
                + " value).");
  }

  /** What a program sets is passed to processes as text. */
  @Test
  void anyDurationAndSizeIsKeptByItsText() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Duration duration =
          random.nextBoolean()
              ? Duration.ofNanos(random.nextLong(0, Long.MAX_VALUE / 4))
              : Duration.ofMillis(random.nextInt());
      MemorySize size = new MemorySize(random.nextLong(0, Long.MAX_VALUE));

      assertThat(Option.duration("d", "A duration.").parse(Option.text(duration)))
          .as("seed %d", seed)
          .isEqualTo(duration);
      assertThat(MemorySize.parse(Option.text(size))).as("seed %d", seed).isEqualTo(size);
      assertThat(MemorySize.parse(size.exact())).as("seed %d", seed).isEqualTo(size);
    }
  }

  @Test
  void defaultsOfAllOptionsAreKeptByTheirText() {
    for (Option<?> option : DeclaredOptions.builtIn()) {
      option
          .defaultText()
          .map(option::parse)
          .ifPresent(
              value ->
                  assertThat((Object) option.parse(Option.text(value)))
                      .as(option.key())
                      .isEqualTo(value));
    }
  }

  @Test
  void listIsKeptByItsText() {
    Option<List<String>> list = Option.list("l", "", "A list.");

    assertThat(list.parse(Option.text(List.of("a", "b c", "d")))).containsExactly("a", "b c", "d");
    assertThat(list.parse(Option.text(List.of()))).isEmpty();
  }

  @Test
  void scopesAreThoseOfTheDeclaration() {
    Option<Integer> cluster = Option.integer("n", "A number.");

    assertThat(cluster.scope()).isEqualTo(OptionScope.CLUSTER);
    assertThat(cluster.perJob().scope()).isEqualTo(OptionScope.JOB);
    assertThat(cluster.perCommand().scope()).isEqualTo(OptionScope.COMMAND);
    assertThat(cluster).hasToString("n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "999, 999 ms",
    "1000, 1 s",
    "1050, 1.1 s",
    "59000, 59 s",
    "60000, 1 min",
    "61500, 1 min 1 s",
    "3600000, 60 min",
  })
  void durationsAreReadable(long millis, String text) {
    assertThat(Durations.readable(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "1 ns, PT0.000000001S",
    "2 micros, PT0.000002S",
    "3 milli, PT0.003S",
    "4 secs, PT4S",
    "5 minutes, PT5M",
    "6 hour, PT6H",
    "7 days, PT168H",
    "36500 d, PT876000H",
  })
  void everyUnitOfTimeHasItsNames(String text, Duration duration) {
    assertThat(Durations.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"36501 d", "876001 h", "3153600001 s"})
  void durationHasAnUpperLimitThatFitsNanoseconds(String text) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Durations.parse(text))
        .withMessage("a duration must be at most 36500 d");
  }
}
