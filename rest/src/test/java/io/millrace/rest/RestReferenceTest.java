package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that docs/rest.md matches the table of operations, which it is generated from. */
class RestReferenceTest {
  private static final Path PAGE = Path.of("../docs/rest.md");
  private static final String REFRESH =
      "mvn -q -B -Dquick -pl rest -am test -Dtest=RestReferenceTest -Ddocs.refresh=true"
          + " -Dsurefire.failIfNoSpecifiedTests=false";

  @TempDir Path directory;

  @Test
  void pageInTheRepositoryIsCurrent() throws IOException {
    String page;
    try (FakeCluster cluster = new FakeCluster(directory)) {
      page = render(cluster.rest.operations());
    }
    if (Boolean.getBoolean("docs.refresh")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE)
        .as("Operations changed; refresh their page with: %s", REFRESH)
        .exists()
        .hasContent(page);
  }

  private static String render(List<Operation> operations) {
    StringBuilder page =
        new StringBuilder(
            """
            # REST

            Each path also works behind `/v1`. Answers are JSON unless the table says otherwise. The server listens on loopback by
            default (`rest.bind-address`, `rest.port`) and answers requests whose Host is loopback or `rest.address`. `wait` is cut
            to half of `rpc.ask-timeout`, 30 s at most.

            An error is `{"errors": ["one sentence"]}` with a status:

            | status | cause |
            |--:|---|
            | 400 | illegal request |
            | 401 | missing authentication ([how](security.md#rest)) |
            | 403 | request from the page of another site |
            | 404 | unknown path, job, vertex, TaskManager or file |
            | 405 | the path does not have the method |
            | 409 | the job has ended |
            | 413 | body above `rest.server.max-content-length` |
            | 503 | no leader |
            | 504 | the leader does not answer |
            | 507 | all uploads together above `rest.server.upload-quota` |

            This page is generated from the tables of operations in `io.millrace.rest`. After a change run
            `%s`.

            ## Paths and shapes of Flink's REST v1

            """
                .formatted(REFRESH));
    append(page, operations.stream().filter(operation -> !operation.extension()).toList());
    page.append(
        """

        ## Paths of Millrace

        A client submits a program by uploading its jars and its encoded graph as blobs and posting the
        graph's hash.

        """);
    append(page, operations.stream().filter(Operation::extension).toList());
    page.append(
        """

        A page of collected batches is `application/octet-stream`: each batch is its length (four bytes,
        big-endian) and its bytes. `Millrace-First` is the number of its first batch, `Millrace-Count` how many
        there are, `Millrace-Complete` whether they are the last ones. A request for `next` = first + count releases
        all batches before.
        """);
    return page.toString();
  }

  private static void append(StringBuilder page, List<Operation> operations) {
    page.append("| method | path | description |\n|---|---|---|\n");
    for (Operation operation : operations) {
      page.append(
          "| %s | `%s` | %s |\n"
              .formatted(operation.method(), operation.path(), operation.purpose()));
    }
  }
}
