package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OptionReferenceTest {
  @TempDir Path directory;

  @Test
  void everyOptionHasARow() {
    String page = OptionReference.render();
    for (Option<?> option : DeclaredOptions.all()) {
      assertThat(page).contains("\n| `" + option.key() + "` | ");
    }
  }

  @Test
  void defaultsDoNotDependOnTheMachine() {
    assertThat(OptionReference.render())
        .contains("| `io.tmp.dirs` | String | the system's temporary directory |")
        .contains("| `rest.port` | Ports | `8081` | command |")
        .contains("| `web.upload.dir` | String | none |")
        .contains("| `env.java.opts.all` | String | empty |")
        .contains(
            "| `restart-strategy.type` | none\\|fixed-delay\\|failure-rate\\|exponential-delay | none |");
  }

  @Test
  void patternsWithoutEffectExceptDeclaredOptions() {
    assertThat(OptionReference.render())
        .contains("| `blob.*` (other than those above), `pipeline.jars`")
        .contains("| `table.*`, `sql-gateway.*`");
    assertThat(FlinkOptions.WITHOUT_EFFECT)
        .flatExtracting(FlinkOptions.Group::patterns)
        .doesNotContainAnyElementsOf(DeclaredOptions.all().stream().map(Option::key).toList());
  }

  @Test
  void mainWritesThePage() throws IOException {
    Path file = directory.resolve("options.md");
    OptionReference.main(new String[] {file.toString()});
    assertThat(Files.readString(file)).isEqualTo(OptionReference.render());
  }
}
