package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.UUID;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In HDFS, which knows users. */
@Tag("slow")
class SharedStagingDirectoryTest {
  private static final String APPLICATION = "application_1700000000000_0001";

  private final Path shared = new Path("/shared-" + UUID.randomUUID());
  private final MiniHadoop hadoop = MiniHadoop.running();
  private final Configuration configuration =
      Configuration.EMPTY.with(YarnOptions.STAGING_DIR, shared.toString());

  private void makeShared(int mode) throws IOException {
    FileSystem files = hadoop.files();
    files.mkdirs(shared);
    files.setPermission(shared, new FsPermission((short) mode));
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void as(String user, Action action) throws Exception {
    UserGroupInformation.createRemoteUser(user)
        .doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  action.run();
                  return null;
                });
  }

  private StagingDirectory staging() {
    return StagingDirectory.of(configuration, hadoop.configuration(), APPLICATION);
  }

  @Test
  @Behaviour("A8: several users can share a staging directory, and only read their own files")
  void eachUserHasAPrivateDirectory() throws Exception {
    makeShared(01777);
    for (String user : new String[] {"alice", "bob"}) {
      as(user, () -> staging().make());
      FileStatus own = hadoop.files().getFileStatus(new Path(shared, user));
      assertThat(own.getOwner()).isEqualTo(user);
      assertThat(own.getPermission()).isEqualTo(new FsPermission((short) 0700));
    }
    as(
        "bob",
        () ->
            assertThatExceptionOfType(org.apache.hadoop.security.AccessControlException.class)
                .isThrownBy(
                    () ->
                        FileSystem.get(hadoop.configuration())
                            .listStatus(new Path(shared, "alice"))));
  }

  @Test
  void directoryThatIsNotOpenForAllIsReportedWithTheRemedy() throws Exception {
    makeShared(0755);
    as(
        "alice",
        () ->
            assertThatExceptionOfType(MillraceException.class)
                .isThrownBy(() -> staging().make())
                .withMessageContaining("User alice may not create")
                .withMessageContaining("hdfs dfs -chmod 1777 " + shared)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER)));
  }

  @Test
  @Behaviour("A8: several users can share a staging directory, and only read their own files")
  void directoryThatAnotherUserHasPreparedIsRefused() throws Exception {
    makeShared(01777);
    as(
        "mallory",
        () -> {
          Path prepared = new Path(shared, "alice");
          FileSystem files = FileSystem.get(hadoop.configuration());
          files.mkdirs(prepared);
          files.setPermission(prepared, new FsPermission((short) 0777));
        });
    as(
        "alice",
        () ->
            assertThatExceptionOfType(MillraceException.class)
                .isThrownBy(() -> staging().make())
                .withMessageContaining("belongs to user mallory"));
  }
}
