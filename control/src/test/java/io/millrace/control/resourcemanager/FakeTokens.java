package io.millrace.control.resourcemanager;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.DelegationTokenProvider;
import io.millrace.core.security.DelegationTokenReceiver;
import io.millrace.core.security.DelegationTokens;
import io.millrace.rpc.Env;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Issues numbered tokens, valid for an hour each, and records the tokens it receives. */
final class FakeTokens implements DelegationTokenProvider, DelegationTokenReceiver {
  static final String ORIGIN = "plugin 'mill' in /plugins/mill";

  final List<String> received = new ArrayList<>();
  int obtained;
  Optional<String> failure = Optional.empty();
  Optional<Duration> life = Optional.of(Duration.ofHours(1));
  private final Env env;

  FakeTokens(Env env) {
    this.env = env;
  }

  DelegationTokens services() {
    return DelegationTokens.of(
        Configuration.EMPTY,
        Plugins.NONE,
        List.of(new DiscoveredService<>(ORIGIN, this)),
        List.of(new DiscoveredService<>(ORIGIN, this)));
  }

  @Override
  public String serviceName() {
    return "mill";
  }

  @Override
  public Optional<DelegationToken> obtain(Configuration configuration) throws IOException {
    if (failure.isPresent()) {
      throw new IOException(failure.get());
    }
    Instant now = Instant.ofEpochMilli(env.wallMillis());
    return Optional.of(new DelegationToken(Bytes.utf8("token-" + ++obtained), life.map(now::plus)));
  }

  @Override
  public void received(Bytes token) {
    received.add(new String(token.toArray(), StandardCharsets.UTF_8));
  }
}
