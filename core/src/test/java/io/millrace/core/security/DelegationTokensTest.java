package io.millrace.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testplugin.TestPlugin;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DelegationTokensTest {
  @TempDir Path directory;
  private final List<String> received = new ArrayList<>();

  @Test
  void processWithoutProvidersHasNoServices() {
    DelegationTokens none = DelegationTokens.of(Configuration.EMPTY, Plugins.NONE);
    assertThat(none.obtainable()).isEmpty();
    assertThat(none.receivable()).isEmpty();
  }

  @Test
  void tokenIsInstalledInTheProcessThatObtainsIt() {
    DelegationTokens tokens =
        tokens(Configuration.EMPTY, List.of(provider("mill")), List.of(receiver("mill")));
    assertThat(tokens.obtain("mill"))
        .contains(new DelegationToken(Bytes.utf8("key of mill"), Optional.empty()));
    assertThat(received).containsExactly("mill: key of mill");
  }

  @Test
  void providerCanBeDisabled() {
    Configuration off =
        Configuration.EMPTY.with(SecurityOptions.DELEGATION_TOKEN_PROVIDER.named("b"), "no");
    DelegationTokens tokens =
        tokens(
            off,
            List.of(provider("c"), provider("b"), provider("a")),
            List.of(receiver("a"), receiver("b"), receiver("c")));
    assertThat(tokens.obtainable()).containsExactly("a", "c");
    assertThat(tokens.receivable()).containsExactly("a", "c");
  }

  @Test
  void allProvidersCanBeDisabled() throws Exception {
    plugin();
    assertThat(found(Configuration.EMPTY)).containsExactly("granary");
    assertThat(found(Configuration.EMPTY.with(SecurityOptions.DELEGATION_TOKENS, false))).isEmpty();
  }

  @Test
  void providerWithoutAReceiverIsRejected() {
    assertThatThrownBy(
            () ->
                tokens(
                    Configuration.EMPTY, List.of(provider("mill")), List.of(receiver("granary"))))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("The provider of mill obtains delegation tokens for 'mill'")
        .hasMessageContainingAll(
            "there is no receiver for them",
            DelegationTokenReceiver.class.getName(),
            "security.delegation.token.provider.mill.enabled");
  }

  @Test
  void twoProvidersForOneServiceAreRejected() {
    assertThatThrownBy(
            () ->
                tokens(
                    Configuration.EMPTY,
                    List.of(provider("mill"), provider("mill")),
                    List.of(receiver("mill"))))
        .hasMessageContaining("Both the provider of mill and the provider of mill");
  }

  @Test
  void serviceNameMustNotContainADot() {
    assertThatThrownBy(
            () -> tokens(Configuration.EMPTY, List.of(), List.of(receiver("granary.east"))))
        .hasMessageContainingAll("'granary.east'", "no dot");
  }

  @Test
  void errorNamesTheProviderAndHowToDisableIt() {
    DelegationTokenProvider ill =
        new DelegationTokenProvider() {
          @Override
          public String serviceName() {
            return "mill";
          }

          @Override
          public Optional<DelegationToken> obtain(Configuration configuration) throws IOException {
            throw new IOException("the service is down");
          }
        };
    DelegationTokens tokens =
        tokens(
            Configuration.EMPTY,
            List.of(new DiscoveredService<>("plugin 'mill' in /plugins/mill", ill)),
            List.of(receiver("mill")));
    assertThatThrownBy(() -> tokens.obtain("mill"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll(
            "'mill'",
            "plugin 'mill' in /plugins/mill",
            "the service is down",
            "security.delegation.token.provider.mill.enabled");
  }

  @Test
  void tokenWithoutAReceiverIsAUserError() {
    DelegationTokens tokens = tokens(Configuration.EMPTY, List.of(), List.of(receiver("granary")));
    assertThatThrownBy(() -> tokens.receive("mill", Bytes.utf8("hush")))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContainingAll("'mill'", "it has receivers for granary")
        .hasMessageNotContaining("hush");
  }

  @Test
  void errorNamesTheFailedReceiver() {
    DelegationTokenReceiver ill =
        new DelegationTokenReceiver() {
          @Override
          public String serviceName() {
            return "mill";
          }

          @Override
          public void received(Bytes token) {
            throw new IllegalStateException("the cache is locked");
          }
        };
    DelegationTokens tokens =
        tokens(
            Configuration.EMPTY,
            List.of(),
            List.of(new DiscoveredService<>("the class path", ill)));
    assertThatThrownBy(() -> tokens.receive("mill", Bytes.utf8("hush")))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageStartingWith("The class path failed to install the delegation token of 'mill'")
        .hasMessageContaining("the cache is locked")
        .hasMessageNotContaining("hush");
  }

  @Test
  @Behaviour("B5: the content of a token appears in no log, journal or text of a message")
  void toStringHidesTheContent() {
    assertThat(new DelegationToken(Bytes.utf8("hush"), Optional.of(Instant.EPOCH)))
        .hasToString("DelegationToken[until 1970-01-01T00:00:00Z]");
  }

  @Test
  void providerOfAPluginGetsItsParameters() throws Exception {
    plugin();
    Configuration configuration =
        Configuration.EMPTY.with(
            SecurityOptions.DELEGATION_TOKEN_PARAMETER.named("granary", "door").key(), "south");
    configuration.check(DeclaredOptions.all());
    try (Plugins plugins = Plugins.load(directory, List.of())) {
      DelegationTokens tokens = DelegationTokens.of(configuration, plugins);
      assertThat(tokens.obtain("granary").orElseThrow().content())
          .isEqualTo(Bytes.utf8("key of the south door"));
    }
  }

  private void plugin() throws IOException {
    TestPlugin.in(directory, "granary")
        .source(
            "com.example.Granary",
            """
            package com.example;

            import io.millrace.core.Bytes;
            import io.millrace.core.config.Configuration;
            import io.millrace.core.security.DelegationToken;
            import io.millrace.core.security.DelegationTokenProvider;
            import io.millrace.core.security.DelegationTokenReceiver;
            import java.util.Optional;

            public final class Granary implements DelegationTokenProvider, DelegationTokenReceiver {
              @Override
              public String serviceName() {
                return "granary";
              }

              @Override
              public Optional<DelegationToken> obtain(Configuration configuration) {
                String door =
                    configuration.entries().get("security.delegation.token.provider.granary.door");
                return Optional.of(
                    new DelegationToken(
                        Bytes.utf8("key of the " + door + " door"), Optional.empty()));
              }

              @Override
              public void received(Bytes token) {}
            }
            """)
        .service(DelegationTokenProvider.class, "com.example.Granary")
        .service(DelegationTokenReceiver.class, "com.example.Granary")
        .write();
  }

  private List<String> found(Configuration configuration) throws IOException {
    try (Plugins plugins = Plugins.load(directory, List.of())) {
      return DelegationTokens.of(configuration, plugins).obtainable();
    }
  }

  private static DelegationTokens tokens(
      Configuration configuration,
      List<DiscoveredService<DelegationTokenProvider>> providers,
      List<DiscoveredService<DelegationTokenReceiver>> receivers) {
    return DelegationTokens.of(configuration, Plugins.NONE, providers, receivers);
  }

  private static DiscoveredService<DelegationTokenProvider> provider(String service) {
    return new DiscoveredService<>(
        "the provider of " + service,
        new DelegationTokenProvider() {
          @Override
          public String serviceName() {
            return service;
          }

          @Override
          public Optional<DelegationToken> obtain(Configuration configuration) {
            return Optional.of(
                new DelegationToken(Bytes.utf8("key of " + service), Optional.empty()));
          }
        });
  }

  private DiscoveredService<DelegationTokenReceiver> receiver(String service) {
    return new DiscoveredService<>(
        "the receiver of " + service,
        new DelegationTokenReceiver() {
          @Override
          public String serviceName() {
            return service;
          }

          @Override
          public void received(Bytes token) {
            received.add(
                service
                    + ": "
                    + new String(token.toArray(), java.nio.charset.StandardCharsets.UTF_8));
          }
        });
  }
}
