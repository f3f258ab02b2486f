package io.millrace.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.TestPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecurityContextTest {
  private static final String MODULE =
      """
      package com.example;

      import io.millrace.core.config.Configuration;
      import io.millrace.core.security.KerberosLogin;
      import io.millrace.core.security.SecurityContext;
      import io.millrace.core.security.SecurityModule;
      import java.io.IOException;
      import java.util.concurrent.Callable;

      public final class Guard implements SecurityModule {
        @Override
        public SecurityContext login(KerberosLogin login, Configuration configuration)
            throws IOException {
          if (login.principal().equals("stranger")) {
            throw new IOException("no such principal");
          }
          return new SecurityContext() {
            @Override
            public <T> T call(Callable<T> action) throws Exception {
              String before = Thread.currentThread().getName();
              Thread.currentThread().setName("as " + login.principal());
              try {
                return action.call();
              } finally {
                Thread.currentThread().setName(before);
              }
            }

            @Override
            public void close() {}

            @Override
            public String description() {
              return "guarded " + login.principal();
            }
          };
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void contextWithoutAKeytabHasNoLogin() throws Exception {
    SecurityContext context = SecurityContext.of(Configuration.EMPTY, Plugins.NONE);
    assertThat(context.call(() -> "called")).isEqualTo("called");
    assertThat(context.description()).isEqualTo("no login");
  }

  @Test
  void errorOfAnIncompleteLoginNamesBothOptions() throws Exception {
    for (Configuration half :
        List.of(
            Configuration.EMPTY.with(SecurityOptions.KERBEROS_KEYTAB, keytab().toString()),
            Configuration.EMPTY.with(SecurityOptions.KERBEROS_PRINCIPAL, "miller"))) {
      assertThatThrownBy(() -> SecurityContext.of(half, Plugins.NONE))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContainingAll(
              "security.kerberos.login.keytab",
              "security.kerberos.login.principal",
              "only " + half.entries().keySet().iterator().next() + " is set");
    }
  }

  @Test
  void errorNamesMissingKeytab() {
    Configuration configuration =
        Configuration.EMPTY
            .with(SecurityOptions.KERBEROS_KEYTAB, directory.resolve("missing").toString())
            .with(SecurityOptions.KERBEROS_PRINCIPAL, "miller");
    assertThatThrownBy(() -> SecurityContext.of(configuration, Plugins.NONE))
        .hasMessageContainingAll(directory.resolve("missing").toString(), "does not exist");
  }

  @Test
  void errorNamesMissingKerberosConfiguration() {
    Configuration configuration =
        Configuration.EMPTY.with(
            SecurityOptions.KERBEROS_CONFIGURATION, directory.resolve("missing").toString());
    assertThatThrownBy(() -> SecurityContext.of(configuration, Plugins.NONE))
        .hasMessageContainingAll(
            directory.resolve("missing").toString(),
            "security.kerberos.krb5-conf.path",
            "does not exist");
  }

  @Test
  void errorNamesTheMissingModule() throws Exception {
    Path plugins = directory.resolve("plugins");
    Configuration configuration = login("miller");
    try (Plugins none = Plugins.load(plugins, List.of())) {
      assertThatThrownBy(() -> SecurityContext.of(configuration, none))
          .hasMessageContainingAll(
              "no installed plugin can log in", SecurityModule.class.getName(), "under " + plugins);
    }
  }

  @Test
  @Behaviour("B2: services run inside the security context")
  void moduleOfAPluginLogsInAndRunsActionsInside() throws Exception {
    try (Plugins plugins = guard("guard");
        SecurityContext context = SecurityContext.of(login("miller"), plugins)) {
      assertThat(context.description()).isEqualTo("guarded miller");
      assertThat(context.call(() -> Thread.currentThread().getName())).isEqualTo("as miller");
    }
  }

  @Test
  void errorOfAFailedLoginNamesPrincipalAndReason() throws Exception {
    try (Plugins plugins = guard("guard")) {
      Configuration configuration = login("stranger");
      assertThatThrownBy(() -> SecurityContext.of(configuration, plugins))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
          .hasMessageContainingAll("stranger", "plugin 'guard'", "no such principal");
    }
  }

  @Test
  void twoModulesAreRejected() throws Exception {
    guard("first").close();
    try (Plugins plugins = guard("second")) {
      Configuration configuration = login("miller");
      assertThatThrownBy(() -> SecurityContext.of(configuration, plugins))
          .hasMessageContainingAll("plugin 'first'", "plugin 'second'", "Remove one");
    }
  }

  @Test
  @Behaviour("B5: a keytab can be for login contexts alone")
  void loginContextsGetTheKeytab() throws Exception {
    Configuration configuration =
        login("miller").with(SecurityOptions.KERBEROS_CONTEXTS.key(), "Contexts1,Contexts2");
    SecurityContext context = SecurityContext.of(configuration, Plugins.NONE);

    assertThat(context.description())
        .isEqualTo("miller by Kerberos in login contexts [Contexts1, Contexts2]");
    for (String name : List.of("Contexts1", "Contexts2")) {
      assertThat(
              javax.security.auth.login.Configuration.getConfiguration()
                  .getAppConfigurationEntry(name))
          .singleElement()
          .satisfies(
              entry ->
                  assertThat(entry.getOptions().toString())
                      .contains("principal=miller", "keyTab=" + keytab()));
    }
    assertThat(
            javax.security.auth.login.Configuration.getConfiguration()
                .getAppConfigurationEntry("Contexts3"))
        .isNull();
  }

  @Test
  void moduleOfAPluginLogsInForLoginContextsToo() throws Exception {
    try (Plugins plugins = guard("guard");
        SecurityContext context =
            SecurityContext.of(
                login("miller").with(SecurityOptions.KERBEROS_CONTEXTS.key(), "Contexts4"),
                plugins)) {
      assertThat(context.description()).isEqualTo("guarded miller");
    }
  }

  private Plugins guard(String name) throws IOException {
    Path plugins = directory.resolve("plugins");
    TestPlugin.in(plugins, name)
        .source("com.example.Guard", MODULE)
        .service(SecurityModule.class, "com.example.Guard")
        .write();
    return Plugins.load(plugins, List.of());
  }

  private Configuration login(String principal) throws IOException {
    return Configuration.EMPTY
        .with(SecurityOptions.KERBEROS_KEYTAB, keytab().toString())
        .with(SecurityOptions.KERBEROS_PRINCIPAL, principal);
  }

  private Path keytab() throws IOException {
    return Files.writeString(directory.resolve("keytab"), "secret");
  }
}
