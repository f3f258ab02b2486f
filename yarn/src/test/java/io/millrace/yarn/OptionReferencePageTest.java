package io.millrace.yarn;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.OptionReference;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Here, because this module has the last options of the page on its class path. */
class OptionReferencePageTest {
  @Test
  void pageInTheRepositoryIsCurrent() {
    assertThat(Path.of("../docs/options.md"))
        .as("Options changed; refresh their page as CONTRIBUTING.md says")
        .exists()
        .hasContent(OptionReference.render());
  }
}
