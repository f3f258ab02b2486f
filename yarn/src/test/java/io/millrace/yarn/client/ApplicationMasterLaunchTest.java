package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.client.ShippedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.Option;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ApplicationAccessType;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationMasterLaunchTest {
  private static final Configuration SIZES =
      Configuration.EMPTY
          .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1600m")
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m");

  @Test
  void commandStartsTheProcessOfTheModeWithItsProgram() {
    List<String> command = launch(SIZES, "--json", "{\"a b\": 1}").command();
    assertThat(command.subList(0, 3))
        .containsExactly(
            "MILLRACE_NODE_HADOOP_CONF_DIR='$HADOOP_CONF_DIR'",
            "HADOOP_CONF_DIR=$PWD/application/hadoop",
            ContainerLaunch.JAVA);
    assertThat(command)
        .contains("-Dmillrace.home=millrace", "-Dmillrace.log.file=<LOG_DIR>/jobmanager.log")
        .contains("-XX:ErrorFile=<LOG_DIR>/hs_err_pid%p.log", "-XX:HeapDumpPath=<LOG_DIR>")
        .anyMatch(word -> word.startsWith("-Xmx"));
    int main = command.indexOf("io.millrace.yarn.master.YarnApplicationProcess");
    assertThat(command.subList(main + 1, main + 5))
        .containsExactly("--", "-", "usrlib/m.jar", "--json");
    assertThat(command.get(main + 5)).contains("a b").startsWith("'");
  }

  @Test
  void userJarsHaveTheConfiguredPosition() {
    assertThat(classPath("FIRST"))
        .isEqualTo("usrlib/m.jar:millrace/lib/x.jar:provided/a.jar:z.jar");
    assertThat(classPath("LAST")).isEqualTo("millrace/lib/x.jar:provided/a.jar:z.jar:usrlib/m.jar");
    assertThat(classPath("ORDER"))
        .isEqualTo("millrace/lib/x.jar:provided/a.jar:usrlib/m.jar:z.jar");
    assertThat(classPath("DISABLED")).isEqualTo("millrace/lib/x.jar:provided/a.jar:z.jar");
  }

  @Test
  void environmentHasPathsAndUser() {
    ContainerLaunch launch =
        launch(SIZES.with("containerized.master.env.GREETING", "say \"hi\" to $USER"));
    assertThat(launch.environment())
        .containsEntry("MILLRACE_CONF_DIR", "$PWD/application")
        .doesNotContainKey("HADOOP_CONF_DIR")
        .containsEntry(ContainerLayout.STAGING_VARIABLE, "hdfs://n/home/.millrace/application_1_1")
        .containsEntry(ContainerLayout.CLIENT_TIME_VARIABLE, "1234")
        .containsEntry("HADOOP_USER_NAME", "user")
        .containsEntry("GREETING", "say \\\"hi\\\" to $USER");
    assertThat(StagedFile.decode(launch.environment().get(ContainerLayout.FILES_VARIABLE)))
        .extracting(StagedFile::link)
        .containsExactly("provided/a.jar", "z.jar");
  }

  @Test
  void hadoopConfigurationOfTheUserIsKept() {
    ContainerLaunch launch =
        launch(SIZES.with("containerized.master.env.HADOOP_CONF_DIR", "/etc/own"));
    assertThat(launch.environment()).containsEntry("HADOOP_CONF_DIR", "/etc/own");
    assertThat(launch.command().get(0)).isEqualTo(ContainerLaunch.JAVA);
  }

  @Test
  void accessRightsOfTheOptionsAreThoseOfTheContainer() {
    assertThat(launch(SIZES).acls()).isEmpty();
    assertThat(
            launch(
                    SIZES
                        .with(YarnOptions.VIEW_ACLS, "ann,bob ops")
                        .with(YarnOptions.MODIFY_ACLS, " ops"))
                .context(ByteBuffer.allocate(0))
                .getApplicationACLs())
        .containsEntry(ApplicationAccessType.VIEW_APP, "ann,bob ops")
        .containsEntry(ApplicationAccessType.MODIFY_APP, " ops");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann*", "*,bob", "* ops"})
  void accessRightsOfEverybodyBesideNamesAreRefused(String acl) {
    for (Option<String> option : List.of(YarnOptions.VIEW_ACLS, YarnOptions.MODIFY_ACLS)) {
      assertThatExceptionOfType(MillraceException.class)
          .isThrownBy(() -> launch(SIZES.with(option.key(), acl)))
          .withMessageContaining(option.key())
          .withMessageContaining("alice,bob operators");
      assertThat(launch(SIZES.with(option.key(), "*")).acls()).containsValue("*");
    }
  }

  @Test
  void optionsOfTheUserAreQuoted() {
    assertThat(launch(SIZES.with(CoreOptions.JVM_OPTIONS, "-Dquote=' -Dsemicolon=;")).command())
        .contains("'-Dquote='\\\\'''", "'-Dsemicolon=;'");
  }

  private static String classPath(String order) {
    List<String> command =
        launch(SIZES.with(YarnOptions.USER_JARS, YarnOptions.UserJars.valueOf(order))).command();
    return command.get(command.indexOf("-cp") + 1);
  }

  private static ContainerLaunch launch(Configuration configuration, String... arguments) {
    DeploymentSpec plan =
        DeploymentSpec.ofProgram(
            new ShippedProgram(URI.create("file:/tmp/m.jar"), Optional.empty(), List.of(arguments)),
            configuration);
    List<StagedFile> files =
        List.of(
            staged("usrlib/m.jar", false), staged("provided/a.jar", true), staged("z.jar", true));
    return new ApplicationMasterLaunch(
            plan,
            configuration,
            files,
            new EngineArchive(
                "1.0", List.of(new TarWriter.Entry("lib/x.jar", Path.of("x.jar"), 1, 2))),
            Optional.empty(),
            Optional.of("user"))
        .launch("hdfs://n/home/.millrace/application_1_1", Duration.ofMillis(1234));
  }

  private static StagedFile staged(String link, boolean forWorkers) {
    return new StagedFile(
        link,
        URI.create("hdfs://n/" + link),
        1,
        2,
        LocalResourceType.FILE,
        LocalResourceVisibility.APPLICATION,
        forWorkers);
  }
}
