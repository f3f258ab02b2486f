package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoakArgumentsTest {
  private static final Path HOME = Path.of("/opt/millrace");

  @TempDir Path directory;

  private SoakSettings parse(String... arguments) throws IOException {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--dir";
    all[arguments.length + 1] = directory.resolve("run").toString();
    return SoakArguments.parse(all, HOME);
  }

  @Test
  void defaultsInjectFaultsForTwoMinutes() throws IOException {
    SoakSettings settings = parse();
    assertThat(settings.budget().time()).isEqualTo(Duration.ofMinutes(2));
    assertThat(settings.budget().most()).isEqualTo(Integer.MAX_VALUE);
    assertThat(settings.budget().each()).isZero();
    assertThat(settings.jobManagers()).isOne();
    assertThat(settings.rate()).isEqualTo(2_000);
    assertThat(settings.home()).isEqualTo(HOME);
    assertThat(settings.options()).isEmpty();
  }

  @Test
  void readsEachOption() throws IOException {
    SoakSettings settings =
        parse(
            "--minutes",
            "0.5",
            "--seed",
            "-7",
            "--faults",
            "3",
            "--rate",
            "10",
            "--backend",
            "rocksdb",
            "--unaligned",
            "-D",
            "a.b=c=d",
            "-D",
            "empty=");
    assertThat(settings.budget()).isEqualTo(new FaultBudget(Duration.ofSeconds(30), 3, 0, -7));
    assertThat(settings.rate()).isEqualTo(10);
    assertThat(settings.options())
        .isEqualTo(
            Map.of(
                "state.backend.type",
                "rocksdb",
                "execution.checkpointing.unaligned.enabled",
                "true",
                "a.b",
                "c=d",
                "empty",
                ""));
    assertThat(settings.directory()).isEqualTo(directory.resolve("run")).isDirectory();
  }

  @Test
  void inputLastsForAllFaultsIfEachKindHasANumber() throws IOException {
    SoakSettings settings = parse("--jobmanagers", "3", "--each", "20");
    assertThat(settings.jobManagers()).isEqualTo(3);
    assertThat(settings.budget().each()).isEqualTo(20);
    assertThat(settings.budget().time()).isEqualTo(Duration.ofHours(2));
    assertThat(parse("--each", "20", "--minutes", "7").budget().time())
        .isEqualTo(Duration.ofMinutes(7));
  }

  @Test
  void adoptionIsAnOptionOfTheJob() throws IOException {
    assertThat(parse("--adopt-tasks").options())
        .containsEntry("execution.job-recovery.adopt-tasks.enabled", "true");
  }

  @Test
  void wrongArgumentsAreNamed() {
    assertThatThrownBy(() -> parse("--minute", "2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("There is no option --minute");
    assertThatThrownBy(() -> parse("--rate", "many"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--rate takes a number, not 'many'");
    assertThatThrownBy(() -> parse("-D", "key"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("-D takes KEY=VALUE, not 'key'");
    assertThatThrownBy(() -> SoakArguments.parse(new String[] {"--seed"}, HOME))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--seed, or it needs a value");
  }

  @ParameterizedTest
  @CsvSource({
    "--minutes, 0",
    "--minutes, -2",
    "--minutes, NaN",
    "--minutes, Infinity",
    "--minutes, 1e9",
    "--faults, -1",
    "--each, 0",
    "--jobmanagers, 0",
    "--jobmanagers, 10",
    "--rate, 0",
    "--rate, -5"
  })
  void numbersOutOfRangeAreNamed(String option, String value) {
    assertThatThrownBy(() -> parse(option, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(value + " is out of the range of " + option);
  }

  @ParameterizedTest
  @CsvSource({"--minutes, two", "--seed, 1.5", "--faults, 99999999999", "--rate, ''"})
  void textIsNoNumber(String option, String value) {
    assertThatThrownBy(() -> parse(option, value))
        .hasMessage(option + " takes a number, not '" + value + "'");
  }

  @Test
  void limitsOfRangesAreAccepted() throws IOException {
    SoakSettings settings = parse("--minutes", "0.001", "--faults", "0", "--rate", "1");
    assertThat(settings.budget().time()).isEqualTo(Duration.ofMillis(60));
    assertThat(settings.budget().most()).isZero();
    assertThat(settings.rate()).isEqualTo(1);
  }

  @Test
  void lastOfSeveralValuesCounts() throws IOException {
    SoakSettings settings = parse("--rate", "1", "--rate", "2", "-D", "a=1", "-D", "a=2");
    assertThat(settings.rate()).isEqualTo(2);
    assertThat(settings.options()).containsEntry("a", "2");
  }
}
