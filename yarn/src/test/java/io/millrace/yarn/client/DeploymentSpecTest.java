package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ShippedProgram;
import io.millrace.core.config.Configuration;
import io.millrace.yarn.master.YarnApplicationProcess;
import io.millrace.yarn.master.YarnJobProcess;
import io.millrace.yarn.master.YarnSessionProcess;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeploymentSpecTest {
  @Test
  void programIsStartedFromItsLink() {
    DeploymentSpec spec =
        DeploymentSpec.ofProgram(
            new ShippedProgram(
                URI.create("hdfs:///programs/word%20count.jar"),
                Optional.of("com.example.Main"),
                List.of("--input", "a b")),
            Configuration.EMPTY);
    assertThat(spec.mode()).isEqualTo(DeploymentMode.APPLICATION);
    assertThat(spec.name()).isEqualTo("Millrace application word count.jar");
    assertThat(spec.jars()).containsOnlyKeys("usrlib/word count.jar");
    assertThat(spec.arguments())
        .containsExactly("--", "com.example.Main", "usrlib/word count.jar", "--input", "a b");
    assertThat(spec.graph()).isEmpty();
  }

  @Test
  void mainClassOfTheManifestIsADash() {
    DeploymentSpec spec =
        DeploymentSpec.ofProgram(
            new ShippedProgram(URI.create("file:/x/job.jar"), Optional.empty(), List.of()),
            Configuration.EMPTY);
    assertThat(spec.arguments()).containsExactly("--", "-", "usrlib/job.jar");
  }

  @Test
  void sessionHasNeitherJarsNorArguments() {
    DeploymentSpec spec = DeploymentSpec.ofSession(Configuration.EMPTY);
    assertThat(spec.mode()).isEqualTo(DeploymentMode.SESSION);
    assertThat(spec.jars()).isEmpty();
    assertThat(spec.arguments()).isEmpty();
    assertThat(spec.graph()).isEmpty();
    assertThat(spec.program()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(DeploymentMode.class)
  void modeHasAMainClassATargetAndATag(DeploymentMode mode) {
    assertThat(mode.target()).startsWith("yarn-");
    assertThat(mode.tag()).isEqualTo("millrace-" + mode.target());
    assertThat(mode.mainClass())
        .isEqualTo(
            (switch (mode) {
                  case PER_JOB -> YarnJobProcess.class;
                  case APPLICATION -> YarnApplicationProcess.class;
                  case SESSION -> YarnSessionProcess.class;
                })
                .getName());
  }
}
