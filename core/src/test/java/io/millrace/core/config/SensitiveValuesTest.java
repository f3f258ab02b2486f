package io.millrace.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.util.List;
import org.junit.jupiter.api.Test;

class SensitiveValuesTest {
  @Test
  void namesOfSecretsAreRecognizedInEverySpelling() {
    for (String name :
        List.of(
            "security.ssl.internal.key-password",
            "s3.secret-key",
            "s3.access-key",
            "fs.azure.account.key.me",
            "containerized.master.env.AWS_SECRET_ACCESS_KEY",
            "--apiKey",
            "-Djavax.net.ssl.keyStorePassword",
            "PGPASSWORD",
            "user.db.passphrase",
            "user.db.pass",
            "DB_PWD",
            "dbPass",
            "-Dpw",
            "-Ddb.pwd",
            "security.delegation.token.provider.mine.client-token")) {
      assertThat(SensitiveValues.isSecret(name)).as(name).isTrue();
    }
    for (String name :
        List.of(
            "rest.port",
            "user.bypass",
            "user.compass",
            "user.pass-count",
            "security.cluster-secret.file",
            "security.rest.token-file",
            "security.delegation.tokens.renewal.time-ratio",
            "security.delegation.token.provider.mine.enabled",
            "security.kerberos.login.keytab",
            "taskmanager.memory.process.size")) {
      assertThat(SensitiveValues.isSecret(name)).as(name).isFalse();
    }
  }

  @Test
  @Behaviour(
      "B1: a process logs version, JVM, host, user, memory, options and arguments at start,"
          + " without secrets")
  void declaredPasswordsAreHidden() {
    for (Option<?> option : DeclaredOptions.all()) {
      if (option.description().startsWith("Password")) {
        assertThat(SensitiveValues.shown(option.key(), "hunter2"))
            .as(option.key())
            .isEqualTo(SensitiveValues.HIDDEN);
      }
    }
  }

  @Test
  void onlySecretsOfJvmOptionsAreHidden() {
    assertThat(
            SensitiveValues.shown(
                "env.java.opts.taskmanager",
                "-Xmx1g -Djavax.net.ssl.keyStorePassword=hunter2 -Dmine=1"))
        .isEqualTo("-Xmx1g -Djavax.net.ssl.keyStorePassword=(hidden) -Dmine=1");
    assertThat(SensitiveValues.shown("env.java.opts.all", "-javaagent:a.jar=token=hunter2,x=1"))
        .isEqualTo("-javaagent:a.jar=token=(hidden)");
  }

  @Test
  void shortNamesOfPasswordsAreHiddenInJvmOptions() {
    assertThat(SensitiveValues.shown("env.java.opts.all", "-Dpw=hunter2 -Ddb.pass=hunter2 -Dn=1"))
        .isEqualTo("-Dpw=(hidden) -Ddb.pass=(hidden) -Dn=1");
    assertThat(
            SensitiveValues.shown(
                List.of("--db-pass", "hunter2", "-D", "env.java.opts.client=-Dpw=hunter2")))
        .containsExactly("--db-pass", "(hidden)", "-D", "env.java.opts.client=-Dpw=(hidden)");
  }

  @Test
  @Behaviour(
      "B1: a process logs version, JVM, host, user, memory, options and arguments at start,"
          + " without secrets")
  void secretsOfArgumentsAreHiddenInEveryForm() {
    assertThat(
            SensitiveValues.shown(
                List.of(
                    "run",
                    "-D",
                    "security.ssl.rest.keystore-password=hunter2",
                    "-Ds3.secret-key=hunter2",
                    "-yDs3.secret-key=hunter2",
                    "-D",
                    "env.java.opts.client=-Dpassword=hunter2 -Dmore=1",
                    "a.jar",
                    "--password",
                    "hunter2",
                    "--url",
                    "jdbc:pg://me:hunter2@db/x",
                    "--parallelism",
                    "4")))
        .containsExactly(
            "run",
            "-D",
            "security.ssl.rest.keystore-password=(hidden)",
            "-Ds3.secret-key=(hidden)",
            "-yDs3.secret-key=(hidden)",
            "-D",
            "env.java.opts.client=-Dpassword=(hidden)",
            "a.jar",
            "--password",
            "(hidden)",
            "--url",
            "jdbc:pg://(hidden)@db/x",
            "--parallelism",
            "4");
  }

  @Test
  void configurationAsTextHasNoSecrets() {
    Configuration configuration =
        Configuration.EMPTY.with("rest.port", "1").with("my.password", "hunter2");
    assertThat(configuration).hasToString("Configuration[my.password=(hidden), rest.port=1]");
  }

  /** A flag has no value, and its name cannot be told from that of an option with one. */
  @Test
  void secretAfterAFlagWithASecretNameIsHidden() {
    assertThat(SensitiveValues.shown(List.of("--ask-password", "--token", "hunter2", "in.txt")))
        .containsExactly("--ask-password", "(hidden)", "(hidden)", "in.txt");
    assertThat(SensitiveValues.shown(List.of("--password", "mysecret", "--rate", "4")))
        .containsExactly("--password", "(hidden)", "--rate", "4");
  }

  @Test
  void userInformationOfAddressesIsHiddenWhole() {
    assertThat(SensitiveValues.shown("my.url", "http://me:hun@ter2@db:80/x"))
        .isEqualTo("http://(hidden)@db:80/x");
    assertThat(SensitiveValues.shown("my.url", "http://me:p@a/x http://you:q@b/y"))
        .isEqualTo("http://(hidden)@a/x http://(hidden)@b/y");
    assertThat(SensitiveValues.shown("my.url", "http://db:80/me@example.org"))
        .isEqualTo("http://db:80/me@example.org");
    assertThat(SensitiveValues.shown("my.url", "http://me@db/x")).isEqualTo("http://me@db/x");
  }

  @Test
  void everythingAfterASecretNameIsHiddenInAValue() {
    assertThat(SensitiveValues.shown("my.connection", "host=db;password=hun=ter2;ssl=on"))
        .isEqualTo("host=db;password=(hidden)");
    assertThat(SensitiveValues.shown("my.connection", "password-file=/etc/pw;ssl=on"))
        .isEqualTo("password-file=/etc/pw;ssl=on");
  }
}
