package io.millrace.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    assertThat(settings.budget()).isEqualTo(new FaultBudget(Duration.ofSeconds(30), 3, -7));
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
}
