package io.millrace.cli.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.core.testing.Behaviour;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryCommandTest {
  @TempDir private Path directory;

  @Test
  @Behaviour("A2: history requires a directory and legal settings")
  void requiresADirectoryAndLegalSettings() {
    CommandLineHarness cli = new CommandLineHarness(directory);
    assertThat(cli.call("history")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err().lines())
        .containsExactly(
            "millrace: The directory with the archives of ended jobs is not given. Name it with"
                + " --dir or historyserver.archive.fs.dir.");
    assertThat(cli.call("history", "--dir", "/tmp", "--port", "70000")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains("'historyserver.web.port'", "'70000' is not a port from 0 to 65535");
    assertThat(cli.call("history", "--dir", "/tmp", "--port", "x")).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.call("history", "--dir", "/tmp", "-D", "historyserver.archive.retained-jobs=0"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err())
        .contains("'historyserver.archive.retained-jobs' is 0, but it takes at least 1, or -1");
    assertThat(cli.call("history", "--help")).isEqualTo(ExitCodes.OK);
    assertThat(cli.out()).contains("millrace history --dir /data/ended-jobs --port 8082");
  }
}
