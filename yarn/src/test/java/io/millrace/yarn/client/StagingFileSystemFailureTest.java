package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Progress;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Its own HDFS, which stops during an upload. */
@Tag("slow")
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class StagingFileSystemFailureTest {
  @TempDir private java.nio.file.Path storage;
  private final List<String> report = Collections.synchronizedList(new ArrayList<>());
  private MiniDFSCluster hdfs;
  private StagingDirectory staging;

  @BeforeEach
  void start() throws IOException {
    hdfs =
        new MiniDFSCluster.Builder(new Configuration(), storage.toFile()).numDataNodes(1).build();
    hdfs.waitActive();
    Configuration client = new Configuration();
    // By default it waits for longer than a test should.
    client.setInt("ipc.client.connect.max.retries", 1);
    client.setInt("ipc.client.connect.retry.interval", 100);
    client.setInt("dfs.client.block.write.locateFollowingBlock.retries", 1);
    staging =
        StagingDirectory.of(
            io.millrace.core.config.Configuration.EMPTY.with(
                YarnOptions.STAGING_DIR, hdfs.getURI() + "/staging"),
            client,
            "application_1_1");
  }

  @AfterEach
  void stop() {
    hdfs.shutdown(true);
  }

  @Test
  void failedUploadNamesTheDirectoryThatCannotBeRemoved() {
    Progress progress = report::add;
    try (YarnResourceManagerClient yarn =
            YarnResourceManagerClient.of(MiniHadoop.running().configuration());
        DeploymentRollback rollback =
            new DeploymentRollback(
                yarn,
                ApplicationId.newInstance(1, 1),
                staging,
                RestTokenStore.in(storage),
                progress)) {
      rollback.createStagingDirectory();
      ParallelUpload uploads = new ParallelUpload(progress);
      staging.add(
          uploads,
          "first",
          2_000_000,
          out -> {
            out.write(new byte[1_000_000]);
            hdfs.shutdownNameNode(0);
            hdfs.shutdownDataNodes();
            out.write(new byte[1_000_000]);
          });
      Throwable failure = catchThrowable(() -> uploads.await("there"));
      assertThat(failure).isInstanceOf(IOException.class);
      assertThat(staging.failed("write files to", (IOException) failure))
          .hasMessageContaining("could not write files to")
          .hasMessageContaining("Check that hdfs://");
    }
    assertThat(report)
        .singleElement()
        .asString()
        .contains("/.millrace/application_1_1 was left behind", "hdfs dfs -rm -r");
  }
}
