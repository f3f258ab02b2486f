package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import io.millrace.yarn.launch.ContainerLayout;
import io.millrace.yarn.launch.StagedFile;
import io.millrace.yarn.worker.YarnTaskManagerProcess;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Test;

class TaskManagerLaunchTest {
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m")
          .with(JobManagerOptions.ADDRESS, "master")
          .with(JobManagerOptions.PORT, 4711)
          .with(CoreOptions.TASK_MANAGER_JVM_OPTIONS, "-Dmine=1")
          .with(YarnOptions.WORKER_ENVIRONMENT.named("PLACE"), "there");

  private final WorkerId worker = new WorkerId("container_1");

  @Test
  @Behaviour("B1: a TaskManager on YARN has the worker id of its container")
  void argumentsHaveTheWorkerIdAndTheAddressOfTheJobManager() {
    List<String> command = launch(WorkerSpec.of(CONFIGURATION)).command();
    assertThat(command)
        .startsWith(ContainerLaunch.JAVA)
        .contains("-Dmillrace.home=millrace", "-Dmine=1", YarnTaskManagerProcess.class.getName())
        .containsSequence("-cp", "millrace/lib/a.jar:millrace/lib/server/b.jar")
        .contains("-Dmillrace.log.file=<LOG_DIR>/taskmanager.log");
    List<String> arguments =
        command.subList(
            command.indexOf(YarnTaskManagerProcess.class.getName()) + 1, command.size());
    assertThat(arguments)
        .containsExactlyInAnyOrder(
            "taskmanager.resource-id=container_1",
            "taskmanager.host=localhost",
            "taskmanager.bind-host=127.0.0.1",
            "jobmanager.rpc.address=master",
            "jobmanager.rpc.port=4711",
            "io.tmp.dirs=$PWD/tmp");
  }

  @Test
  void argumentsOfALargerWorkerHaveItsSizes() {
    WorkerSpec larger =
        new WorkerSpec(
            new ResourceProfile(
                2, MemorySize.ofMebi(2000).bytes(), 0, 0, MemorySize.ofMebi(64).bytes(), Map.of()),
            1);
    assertThat(launch(larger).command())
        .contains("taskmanager.cpu.cores=2.0")
        .anyMatch(word -> word.startsWith("taskmanager.memory.task.heap.size="))
        .anyMatch(word -> word.startsWith("-Xmx"));
  }

  @Test
  void launchHasTheFilesForWorkersAndTheEnvironment() {
    ContainerLaunch launch = launch(WorkerSpec.of(CONFIGURATION));
    assertThat(launch.files()).extracting(StagedFile::link).containsExactly("millrace");
    assertThat(launch.environment())
        .containsEntry("MILLRACE_CONF_DIR", "$PWD/application")
        .containsEntry("HADOOP_CONF_DIR", "$PWD/application/hadoop")
        .containsEntry("HADOOP_USER_NAME", "user")
        .containsEntry("PLACE", "there");
  }

  @Test
  @Behaviour(
      "B5: only the JobManager gets the keytab, unless tokens are disabled, and only its user can"
          + " read it")
  void workerWithoutKeytabHasNoLogin() {
    Configuration withLogin =
        CONFIGURATION
            .with(SecurityOptions.KERBEROS_KEYTAB, ContainerLayout.KEYTAB)
            .with(SecurityOptions.KERBEROS_PRINCIPAL, "miller");
    WorkerSpec spec = WorkerSpec.of(CONFIGURATION);
    assertThat(launch(spec, withLogin, file(ContainerLayout.KEYTAB, false)).command())
        .contains("security.kerberos.login.keytab=", "security.kerberos.login.principal=");
    ContainerLaunch itself = launch(spec, withLogin, file(ContainerLayout.KEYTAB, true));
    assertThat(itself.command()).noneMatch(word -> word.startsWith("security.kerberos"));
    assertThat(itself.files()).extracting(StagedFile::link).contains(ContainerLayout.KEYTAB);
  }

  @Test
  void kerberosConfigurationOfTheClientIsUsed() {
    WorkerSpec spec = WorkerSpec.of(CONFIGURATION);
    String option = "-Djava.security.krb5.conf=krb5.conf";
    assertThat(launch(spec).command()).doesNotContain(option);
    assertThat(
            launch(spec, CONFIGURATION, file(ContainerLayout.KERBEROS_CONFIGURATION, true))
                .command())
        .contains(option);
  }

  private ContainerLaunch launch(WorkerSpec spec) {
    return launch(spec, CONFIGURATION, file("job.graph", false));
  }

  private ContainerLaunch launch(WorkerSpec spec, Configuration configuration, StagedFile further) {
    return new TaskManagerLaunch(
            configuration,
            List.of(file("millrace", true), further),
            List.of("millrace/lib/a.jar", "millrace/lib/server/b.jar"),
            Optional.empty(),
            Optional.empty(),
            Optional.of("user"))
        .launch(worker, spec, "localhost");
  }

  private static StagedFile file(String link, boolean forWorkers) {
    return new StagedFile(
        link,
        URI.create("hdfs:///x/" + link),
        1,
        2,
        LocalResourceType.FILE,
        LocalResourceVisibility.APPLICATION,
        forWorkers);
  }
}
