package io.millrace.sim;

import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.plugin.DiscoveredService;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationToken;
import io.millrace.core.security.DelegationTokenProvider;
import io.millrace.core.security.DelegationTokenReceiver;
import io.millrace.core.security.DelegationTokens;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** An external service that issues delegation tokens with a limited lifetime, with faults. */
public final class SimTokens {
  /** The service issues no token. */
  public static final class Closed extends IOException {
    private static final long serialVersionUID = 1L;

    Closed() {
      super("The vault is closed");
    }
  }

  /** The fault of the service. */
  public enum FailureMode {
    NONE,
    /** It issues no token. */
    FAILING,
    /** It issues no token and answers after a long time. */
    HANGING
  }

  /** The time until it answers if it hangs. */
  public static final Duration HANGING = Duration.ofSeconds(20);

  private static final String NAME = "vault";
  private static final String ORIGIN = "the simulation";

  private final Simulation simulation;
  private final Duration lifetime;
  private FailureMode failureMode = FailureMode.NONE;
  private long issued;
  private long issuedAt;

  public SimTokens(Simulation simulation, Duration lifetime) {
    this.simulation = simulation;
    this.lifetime = lifetime;
  }

  /** The newest token that a process has received. */
  public static final class Held {
    private long number;
    private long issuedAt;

    /** The number of the token; 0 if the process has none. */
    public long number() {
      return number;
    }

    public long issuedAt() {
      return issuedAt;
    }
  }

  public Duration lifetime() {
    return lifetime;
  }

  /** The number of the newest issued token. */
  public long newest() {
    return issued;
  }

  public long newestAt() {
    return issuedAt;
  }

  public void failureMode(FailureMode now) {
    failureMode = now;
  }

  /** The token provider and receiver of a process. */
  public DelegationTokens of(SimProcess process, Held held) {
    return DelegationTokens.of(
        Configuration.EMPTY,
        Plugins.NONE,
        List.of(new DiscoveredService<>(ORIGIN, new Provider(process))),
        List.of(new DiscoveredService<>(ORIGIN, new Receiver(held))));
  }

  private final class Provider implements DelegationTokenProvider {
    private final SimProcess process;

    Provider(SimProcess process) {
      this.process = process;
    }

    @Override
    public String serviceName() {
      return NAME;
    }

    @Override
    public Optional<DelegationToken> obtain(Configuration configuration) throws IOException {
      if (failureMode == FailureMode.HANGING) {
        throw new SimProcess.TookLong(HANGING);
      }
      if (failureMode == FailureMode.FAILING) {
        throw new Closed();
      }
      issued++;
      issuedAt = simulation.nanos();
      // By the clock of the process, which may be wrong.
      return Optional.of(
          new DelegationToken(
              Bytes.utf8(issued + "@" + issuedAt),
              Optional.of(Instant.ofEpochMilli(process.wallMillis()).plus(lifetime))));
    }
  }

  private static final class Receiver implements DelegationTokenReceiver {
    private final Held held;

    Receiver(Held held) {
      this.held = held;
    }

    @Override
    public String serviceName() {
      return NAME;
    }

    @Override
    public void received(Bytes token) {
      String[] parts = new String(token.toArray(), StandardCharsets.UTF_8).split("@", 2);
      held.number = Long.parseLong(parts[0]);
      held.issuedAt = Long.parseLong(parts[1]);
    }
  }
}
