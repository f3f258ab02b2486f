package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.BlocksInClose;
import com.example.Unwritable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks that fail or do not end, on TaskManagers that must continue. */
class FailingTasksIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @Test
  void failedTasksEndAndTheirTaskManagersContinue() throws Exception {
    String unwritable = ProgramJar.of(SHELL.directory(), Unwritable.class).toString();
    String blocking = ProgramJar.of(SHELL.directory(), BlocksInClose.class).toString();
    Path closing = SHELL.directory().resolve("closing");
    try (Cluster cluster = SHELL.startCluster("--taskmanagers", "2", "--slots", "1")) {
      List<ProcessHandle> workers =
          List.of(cluster.process("taskmanager-1"), cluster.process("taskmanager-2"));

      Outcome failed = cluster.run("-p", "2", unwritable);
      assertThat(failed.code()).isEqualTo(3);
      assertThat(String.join(" ", failed.err()))
          // On the way to the other TaskManager or to the client, whichever comes first.
          .contains("Operator '", "failed", "cannot be serialised", "java.lang.Thread");

      String job = cluster.submit("-p", "1", blocking, closing.toString());
      Wait.untilTrue("the sink closes", () -> Files.exists(closing));
      cluster.millrace("cancel", job).succeeded();
      cluster.rest().awaitState(job, "CANCELED");

      assertThat(
              cluster.run("-p", "2", Shell.example("word-count.jar").toString()).succeeded().out())
          .hasSize(176);
      assertThat(workers).allMatch(ProcessHandle::isAlive);
    }
  }
}
